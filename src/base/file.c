/* Whole files in and out, folders, and paths beside a file. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"

static const off_t MOST_BYTES = (off_t)1 << 31;

/* Reads until `bytes` are there or the file ends (it may have shrunk); *got says how many. */
static fsc_status read_all(int fd, const char *path, char *data, size_t bytes, size_t *got,
                           fsc_error *why)
{
    *got = 0;
    while (*got < bytes) {
        const ssize_t count = read(fd, data + *got, bytes - *got);
        if (count == 0)
            break;
        if (count < 0 && errno != EINTR)
            FSC_FAIL(why, FSC_ERR_FILE, "%s: cannot read: %s", path, strerror(errno));
        if (count > 0)
            *got += (size_t)count;
    }
    return FSC_OK;
}

static fsc_status read_open(int fd, const char *path, char **data, size_t *bytes, fsc_error *why)
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        FSC_FAIL(why, FSC_ERR_FILE, "%s: cannot read: %s", path, strerror(errno));
    if (S_ISDIR(about.st_mode))
        FSC_FAIL(why, FSC_ERR_FILE, "%s: is a folder, not a file", path);
    if (!S_ISREG(about.st_mode))
        FSC_FAIL(why, FSC_ERR_FILE, "%s: is not a regular file", path);
    if (about.st_size > MOST_BYTES)
        FSC_FAIL(why, FSC_ERR_FILE, "%s: has %lld bytes; at most %lld (2 GiB) are read", path,
                 (long long)about.st_size, (long long)MOST_BYTES);
    char *block = fsc__alloc((size_t)about.st_size + 1, 1);
    if (!block)
        FSC_FAIL(why, FSC_ERR_MEMORY, "%s: out of memory for its %lld bytes", path,
                 (long long)about.st_size);
    size_t got = 0;
    const fsc_status status = read_all(fd, path, block, (size_t)about.st_size, &got, why);
    if (status != FSC_OK) {
        fsc__free(block);
        return status;
    }
    block[got] = '\0';
    *data = block;
    *bytes = got;
    return FSC_OK;
}

fsc_status fsc__file_read(const char *path, char **data, size_t *bytes, fsc_error *why)
{
    /* Without O_NONBLOCK the open of a named pipe would wait for a writer. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        FSC_FAIL(why, FSC_ERR_FILE, "%s: cannot open: %s", path, strerror(errno));
    const fsc_status status = read_open(fd, path, data, bytes, why);
    close(fd);
    return status;
}

static bool write_all(int fd, const char *data, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t count = write(fd, data, bytes);
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0) {
            data += count;
            bytes -= (size_t)count;
        }
    }
    return true;
}

/* Creates temporary, fills it and renames it to path; errno says what failed. */
static bool write_and_rename(const char *temporary, const char *path, const void *data,
                             size_t bytes)
{
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    bool done = write_all(fd, data, bytes) && fsync(fd) == 0;
    int reason = errno;
    if (close(fd) != 0 && done) {
        done = false;
        reason = errno;
    }
    if (done && rename(temporary, path) != 0) {
        done = false;
        reason = errno;
    }
    if (!done)
        unlink(temporary);
    errno = reason;
    return done;
}

fsc_status fsc__file_write(const char *path, const void *data, size_t bytes, fsc_error *why)
{
    static atomic_uint serial;
    fsc__text temporary = {0};
    fsc__text_add(&temporary, "%s.%ld.%u.tmp", path, (long)getpid(), atomic_fetch_add(&serial, 1));
    if (temporary.failed) {
        fsc__text_deinit(&temporary);
        FSC_FAIL(why, FSC_ERR_MEMORY, "%s: out of memory", path);
    }
    const bool done = write_and_rename(temporary.data, path, data, bytes);
    const int reason = errno;
    fsc__text_deinit(&temporary);
    if (!done)
        FSC_FAIL(why, FSC_ERR_FILE, "%s: cannot write: %s", path, strerror(reason));
    return FSC_OK;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

fsc_status fsc__folder_make(const char *path, fsc_error *why)
{
    char *part = fsc__strdup(path);
    if (!part)
        FSC_FAIL(why, FSC_ERR_MEMORY, "%s: out of memory", path);
    int reason = 0;
    for (char *end = part; reason == 0 && *end != '\0';) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        const char separator = *end;
        *end = '\0';
        if (mkdir(part, 0777) != 0) {
            reason = errno;
            if (is_folder(part))
                reason = 0;
        }
        *end = separator;
    }
    fsc__free(part);
    if (reason != 0)
        FSC_FAIL(why, FSC_ERR_FILE, "%s: cannot make this folder: %s", path, strerror(reason));
    return FSC_OK;
}

bool fsc__file_exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

char *fsc__path_beside(const char *base, const char *path)
{
    const char *slash = strrchr(base, '/');
    if (path[0] == '/' || !slash)
        return fsc__strdup(path);
    const size_t folder = (size_t)(slash - base) + 1, rest = strlen(path) + 1;
    char *joined = fsc__alloc(folder + rest, 1);
    if (!joined)
        return NULL;
    memcpy(joined, base, folder);
    memcpy(joined + folder, path, rest);
    return joined;
}
