/* The command: the environment, the table of subcommands, and what happens to the standard output.
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "kernel/source.h"

enum { PATH_BYTES = 4096 };

static fsc__command_main cmd_help, cmd_version;

static const struct command {
    const char *name;
    fsc__command_main *run;
    const char *what; /* NULL: not for people */
} commands[] = {
    {"run", fsc__cmd_run, "the cases of a configuration, on each of its devices"},
    {"case", fsc__cmd_case, "one graph, fused and unfused, predicted and judged"},
    {"verify", fsc__cmd_verify, "devices against the prediction, each output bit"},
    {"source", fsc__cmd_source, "the kernels of a graph, as text"},
    {"devices", fsc__cmd_devices, "what OpenCL has here"},
    {"ops", fsc__cmd_ops, "what graphs are made of"},
    {"version", cmd_version, "the version"},
    {"help", cmd_help, "this list, or the help of a subcommand"},
    {"worker", fsc__cmd_worker, NULL},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static fsc__exit unknown_command(const char *name)
{
    const char *names[COMMANDS];
    size_t count = 0;
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].what != NULL)
            names[count++] = commands[i].name;
    const char *near = fsc__text_nearest(name, names, count);
    fprintf(stderr, "fusescope: unknown subcommand \"%s\"", name);
    if (near != NULL)
        fprintf(stderr, "; did you mean %s?", near);
    fprintf(stderr, "\nfusescope help lists them\n");
    return FSC__EXIT_USAGE;
}

static fsc__exit cmd_help(const fsc__environment *env, int argc, const char **argv)
{
    if (argc > 1 && argv[1][0] != '-') {
        const struct command *command = find_command(argv[1]);
        const char *words[] = {argv[1], "-h", NULL};
        if (command == NULL)
            return unknown_command(argv[1]);
        if (command->run != cmd_help)
            return command->run(env, 2, words);
    }
    printf("fusescope runs fused OpenCL kernels, predicts each bit of their results, and says how "
           "far, where\nand why they move away from the unfused pipeline and from the truth.\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].what != NULL)
            printf("  fusescope %-8s  %s\n", commands[i].name, commands[i].what);
    printf("\nfusescope SUBCOMMAND -h shows its options.\n\n"
           "Environment: FUSESCOPE_DEVICE (selector), FUSESCOPE_CACHE (folder; empty: none),\n"
           "FUSESCOPE_CL_DIR (read cl/ from there), FUSESCOPE_DUMP (folder for sources, logs and "
           "binaries),\nFUSESCOPE_LOG (warn info debug trace), NO_COLOR.\n\n"
           "Exit status: 0 fine, 1 a case is not as it must be, 2 usage or configuration, 3 no "
           "device,\n4 incomplete, 77 nothing ran, 130 interrupted.\n");
    return FSC__EXIT_FINE;
}

static fsc__exit cmd_version(const fsc__environment *env, int argc, const char **argv)
{
    (void)env;
    (void)argc;
    (void)argv;
    printf("fusescope %s\n", fsc_version());
    return FSC__EXIT_FINE;
}

static void print_log(void *context, fsc__log_level level, const char *line)
{
    static const char *const names[] = {"warning", "info", "debug", "trace"};
    (void)context;
    fprintf(stderr, "fusescope: %s: %s\n", names[level], line);
}

/* A variable that is set and not empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* $FUSESCOPE_CACHE, else fusescope in $XDG_CACHE_HOME, else in ~/.cache; NULL: no cache. */
static const char *cache_folder(char *path)
{
    if (getenv("FUSESCOPE_CACHE") != NULL)
        return variable("FUSESCOPE_CACHE");
    const char *cache = variable("XDG_CACHE_HOME");
    const char *home = variable("HOME");
    if (cache != NULL)
        snprintf(path, PATH_BYTES, "%s/fusescope", cache);
    else if (home != NULL)
        snprintf(path, PATH_BYTES, "%s/.cache/fusescope", home);
    else
        return NULL;
    return path;
}

/* Sets the log up; false when FUSESCOPE_LOG is no level. */
static bool set_log(void)
{
    static const char *const levels[] = {"warn", "info", "debug", "trace"};
    const char *wanted = variable("FUSESCOPE_LOG");
    for (int i = 0; i < 4; i++)
        if (wanted == NULL || strcmp(wanted, levels[i]) == 0) {
            fsc__log_set(print_log, NULL, (fsc__log_level)i);
            return true;
        }
    fprintf(stderr, "fusescope: FUSESCOPE_LOG=%s is no level; warn info debug trace\n", wanted);
    return false;
}

/* The environment, all of it, here. */
static bool read_environment(fsc__environment *env, const char *argv0)
{
    static char cache[PATH_BYTES];
    static char program[PATH_BYTES];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    *env = (fsc__environment){
        .program = length > 0 ? program : argv0,
        .device = variable("FUSESCOPE_DEVICE"),
        .cache = cache_folder(cache),
        .dump = variable("FUSESCOPE_DUMP"),
        .no_color = variable("NO_COLOR") != NULL,
    };
    fsc__source_folder(variable("FUSESCOPE_CL_DIR"));
    return set_log();
}

/* Descriptors 0 to 2 exist, so that no file or pipe of ours takes their place. Writing to one that
   was closed still fails, and is noticed. */
static void open_standard(void)
{
    int fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd < 3)
        fd = dup(fd);
    if (fd >= 3)
        close(fd);
}

/* A reader that went away needs no message; a full disk does. */
static fsc__exit finish(fsc__exit exit_status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return exit_status;
    if (errno != EPIPE && errno != 0)
        fprintf(stderr, "fusescope: standard output: %s\n", strerror(errno));
    return exit_status == FSC__EXIT_FINE ? FSC__EXIT_INCOMPLETE : exit_status;
}

int main(int argc, char **argv)
{
    fsc__environment env;
    open_standard();
    signal(SIGPIPE, SIG_IGN);
    if (!read_environment(&env, argc > 0 ? argv[0] : "fusescope"))
        return FSC__EXIT_USAGE;
    /* popt and the subcommands change no argument. */
    const char **words = (const char **)argv;
    const char *name = argc > 1 ? words[1] : "help";
    if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0)
        name = "version";
    const struct command *command = find_command(name);
    if (command == NULL)
        return (int)unknown_command(name);
    if (argc < 2)
        return (int)finish(cmd_help(&env, 0, words));
    return (int)finish(command->run(&env, argc - 1, words + 1));
}
