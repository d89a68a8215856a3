/* A temporary folder for a test, and commands run by the shell. */
#ifndef FSC_TESTS_FOLDER_H
#define FSC_TESTS_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

/* "/tmp/fusescope-XXXXXX", made anew. */
static inline const char *fsc__test_folder(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/fusescope-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(path));
    return path;
}

/* Writes text to NAME in the folder; its path, valid until the next call. */
static inline const char *fsc__test_write(const char *folder, const char *name, const char *text)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    return path;
}

static inline void fsc__test_remove(const char *folder)
{
    char command[128];
    ck_assert_int_eq(strncmp(folder, "/tmp/fusescope-test-", 20), 0);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

/* Runs a shell command; its standard output in out, cut at bytes; its exit status. */
static inline int fsc__test_shell(const char *command, char *out, size_t bytes)
{
    FILE *pipe_end = popen(command, "r");
    ck_assert_ptr_nonnull(pipe_end);
    const size_t got = fread(out, 1, bytes - 1, pipe_end);
    out[got] = '\0';
    char rest[4096];
    while (fread(rest, 1, sizeof rest, pipe_end) > 0)
        continue;
    const int status = pclose(pipe_end);
    ck_assert_msg(WIFEXITED(status), "%s: died of signal %d", command, WTERMSIG(status));
    return WEXITSTATUS(status);
}

#endif
