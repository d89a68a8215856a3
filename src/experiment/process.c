/* Child processes by posix_spawn. */
#include "experiment/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

extern char **environ;

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Whether entry, "NAME=VALUE", is one of the names that env sets. */
static bool is_set(const cJSON *env, const char *entry)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, env)
    {
        const size_t length = strlen(item->string);
        if (strncmp(entry, item->string, length) == 0 && entry[length] == '=')
            return true;
    }
    return false;
}

/* Our environment with env's variables; the entries from *own on belong to the caller. */
static char **make_environment(const cJSON *env, size_t *own)
{
    size_t count = 0;
    while (environ[count] != NULL)
        count++;
    const size_t added = (size_t)cJSON_GetArraySize(env);
    char **made = fsc__calloc(count + added + 1, sizeof *made);
    if (made == NULL)
        return NULL;
    size_t filled = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_set(env, environ[i]))
            made[filled++] = environ[i];
    *own = filled;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, env)
    {
        fsc__text entry = {0};
        fsc__text_add(&entry, "%s=%s", item->string, item->valuestring);
        made[filled++] = entry.data;
    }
    return made;
}

static void free_environment(char **made, size_t own)
{
    for (size_t i = own; made != NULL && made[i] != NULL; i++)
        fsc__free(made[i]);
    fsc__free(made);
}

/* ends[0], [1]: child's input, read and write end; [2], [3]: its output. */
static fsc_status make_pipes(int ends[4], fsc_error *why)
{
    for (int i = 0; i < 4; i++)
        ends[i] = -1;
    if (pipe(ends) != 0 || pipe(ends + 2) != 0)
        FSC_FAIL(why, FSC_ERR_FILE, "pipe: %s", strerror(errno));
    for (int i = 0; i < 4; i++)
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    return FSC_OK;
}

static int spawn(const char *program, const char *const *args, char **environment,
                 const int ends[4], pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGTERM);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[3], STDOUT_FILENO);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    /* posix_spawn changes no argument: its prototype is older than const. */
    char *const *words = (char *const *)(uintptr_t)args;
    const int error = posix_spawn(pid, program, &actions, &attributes, words, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

fsc_status fsc__process_start(const char *program, const char *const *args, const cJSON *env,
                              fsc__process *process, fsc_error *why)
{
    int ends[4] = {-1, -1, -1, -1};
    size_t own = 0;
    char **environment = NULL;
    pid_t pid = 0;
    fsc_status status;
    FSC_GO(make_pipes(ends, why));
    environment = make_environment(env, &own);
    if (environment == NULL) {
        status = fsc__fail(why, FSC_ERR_MEMORY, "no memory for the environment of a worker");
        goto done;
    }
    const int error = spawn(program, args, environment, ends, &pid);
    if (error != 0) {
        status = fsc__fail(why, FSC_ERR_FILE, "%s does not start: %s", program, strerror(error));
        goto done;
    }
    *process = (fsc__process){.pid = pid, .to = ends[1], .from = ends[2]};
    ends[1] = ends[2] = -1;
done:
    free_environment(environment, own);
    for (int i = 0; i < 4; i++)
        close_end(&ends[i]);
    return status;
}

bool fsc__process_say(fsc__process *process, const char *line)
{
    size_t left = strlen(line);
    while (left > 0) {
        const ssize_t written = write(process->to, line, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        line += written;
        left -= (size_t)written;
    }
    return true;
}

/* Cuts the first line off what is pending. */
static bool cut_line(fsc__text *pending, char **line, bool *failed)
{
    const char *end = pending->length == 0 ? NULL : memchr(pending->data, '\n', pending->length);
    if (end == NULL)
        return false;
    const size_t length = (size_t)(end - pending->data);
    *line = fsc__alloc(length + 1, 1);
    *failed = *line == NULL;
    if (*failed)
        return true;
    memcpy(*line, pending->data, length);
    (*line)[length] = '\0';
    pending->length -= length + 1;
    memmove(pending->data, end + 1, pending->length + 1);
    return true;
}

/* One read into pending; false at the end. */
static bool take_in(fsc__process *process)
{
    char bytes[65536];
    const ssize_t got = read(process->from, bytes, sizeof bytes);
    if (got > 0)
        fsc__text_add_bytes(&process->pending, bytes, (size_t)got);
    return got > 0 || (got < 0 && errno == EINTR);
}

fsc__heard fsc__process_hear(fsc__process *process, int64_t timeout_ms, int interrupt_fd,
                             char **line)
{
    const int64_t end = now_ms() + timeout_ms;
    for (;;) {
        bool failed = process->pending.failed;
        if (!failed && cut_line(&process->pending, line, &failed) && !failed)
            return FSC__HEARD_LINE;
        if (failed)
            return FSC__HEARD_FAILURE;
        struct pollfd sources[2] = {{.fd = process->from, .events = POLLIN},
                                    {.fd = interrupt_fd, .events = POLLIN}};
        const int64_t left = end - now_ms();
        if (left <= 0)
            return FSC__HEARD_NOTHING;
        const int ready = poll(sources, 2, left > 1000000 ? 1000000 : (int)left);
        if (ready < 0 && errno != EINTR)
            return FSC__HEARD_FAILURE;
        if (ready > 0 && sources[1].revents != 0)
            return FSC__HEARD_INTERRUPT;
        if (ready > 0 && sources[0].revents != 0 && !take_in(process))
            return FSC__HEARD_END;
    }
}

bool fsc__process_interrupted(int interrupt_fd)
{
    struct pollfd source = {.fd = interrupt_fd, .events = POLLIN};
    return poll(&source, 1, 0) > 0;
}

static void describe(int status, char *how, size_t bytes)
{
    if (how == NULL)
        return;
    if (WIFSIGNALED(status))
        snprintf(how, bytes, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(how, bytes, "exit status %d", WEXITSTATUS(status));
}

void fsc__process_stop(fsc__process *process, int64_t grace_ms, char *how, size_t bytes)
{
    if (process->pid == 0)
        return;
    close_end(&process->to);
    close_end(&process->from);
    const int64_t end = now_ms() + grace_ms;
    int status = 0;
    pid_t gone = waitpid(process->pid, &status, WNOHANG);
    while (gone == 0 && now_ms() < end) {
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        gone = waitpid(process->pid, &status, WNOHANG);
    }
    if (gone == 0) {
        kill(-process->pid, SIGKILL); /* the group: compilers that a driver started too */
        while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    describe(status, how, bytes);
    fsc__text_deinit(&process->pending);
    *process = (fsc__process){0};
}
