/* The shelf of ready programs: an array, the most recently taken last. Loading a binary costs
   milliseconds, and a matrix of cases asks for the same kernels again and again. */
#include "device/shelf.h"

#include <string.h>

#include "base/alloc.h"

/* Moves entry i to the end. */
static void freshen(fsc_device *device, int i)
{
    fsc__program *program = device->shelf[i];
    memmove(&device->shelf[i], &device->shelf[i + 1],
            (size_t)(device->shelved - i - 1) * sizeof *device->shelf);
    device->shelf[device->shelved - 1] = program;
}

fsc__program *fsc__shelf_take(fsc_device *device, const char *key)
{
    for (int i = device->shelved - 1; i >= 0; i--) {
        fsc__program *program = device->shelf[i];
        if (strcmp(program->key, key) != 0)
            continue;
        freshen(device, i);
        program->users++;
        return program;
    }
    return NULL;
}

/* Makes room for one more; false when every entry is in use. */
static bool make_room(fsc_device *device)
{
    if (device->shelved < device->shelf_size)
        return true;
    for (int i = 0; i < device->shelved; i++) {
        if (device->shelf[i]->users > 0)
            continue;
        freshen(device, i);
        fsc__program_destroy(device->shelf[--device->shelved]);
        return true;
    }
    return false;
}

void fsc__shelf_put(fsc_device *device, fsc__program *program)
{
    if (device->shelf_size == 0 || !make_room(device))
        return;
    program->shelved = true;
    device->shelf[device->shelved++] = program;
}

void fsc__shelf_clear(fsc_device *device)
{
    while (device->shelved > 0)
        fsc__program_destroy(device->shelf[--device->shelved]);
    fsc__free(device->shelf);
    device->shelf = NULL;
    device->shelf_size = 0;
}
