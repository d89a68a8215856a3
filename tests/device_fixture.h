/* The device of a dev_* test: FUSESCOPE_DEVICE, or PoCL. A machine without it fails the test. */
#ifndef FSC_TESTS_DEVICE_FIXTURE_H
#define FSC_TESTS_DEVICE_FIXTURE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "device/device.h"
#include "harness.h"

static inline const char *fsc__test_selector(void)
{
    const char *select = getenv("FUSESCOPE_DEVICE");
    return select && select[0] ? select : "pocl";
}

static inline fsc__device_info fsc__test_device_info(void)
{
    fsc__device_info *list = NULL;
    int count = 0, chosen_count = 0;
    int chosen[64];
    fsc_error why = {0};
    ck_status_ok(fsc__devices_list(&list, &count, &why), &why);
    ck_assert_int_le(count, 64);
    ck_status_ok(
        fsc__devices_select(list, count, fsc__test_selector(), true, chosen, &chosen_count, &why),
        &why);
    const fsc__device_info info = list[chosen[0]];
    fsc__free(list);
    return info;
}

static inline fsc_device *fsc__test_device_open(const fsc__device_options *options)
{
    const fsc__device_info info = fsc__test_device_info();
    fsc_device *device = NULL;
    fsc_error why = {0};
    ck_status_ok(fsc__device_open(&info, options, &device, &why), &why);
    return device;
}

/* A new folder for files of a test, and its removal with all that is in it. */
static inline void fsc__test_folder_make(char path[64])
{
    snprintf(path, 64, "/tmp/fusescope-dev-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(path));
}

static inline void fsc__test_folder_remove(const char *path)
{
    DIR *entries = opendir(path);
    if (!entries)
        return;
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        fsc__text inner = {0};
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        fsc__text_add(&inner, "%s/%s", path, entry->d_name);
        struct stat about;
        if (lstat(inner.data, &about) == 0 && S_ISDIR(about.st_mode))
            fsc__test_folder_remove(inner.data);
        else
            unlink(inner.data);
        fsc__text_deinit(&inner);
    }
    closedir(entries);
    rmdir(path);
}

#endif
