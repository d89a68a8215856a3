/* Devices and failures as the subcommands need them. */
#include "cli/cli.h"

#include <unistd.h>

#include "base/alloc.h"

fsc__exit fsc__report_failure(const fsc_error *why)
{
    static const fsc__exit exits[] = {
        [FSC_UNSUPPORTED] = FSC__EXIT_USAGE,       [FSC_ERR_INPUT] = FSC__EXIT_USAGE,
        [FSC_ERR_FILE] = FSC__EXIT_USAGE,          [FSC_ERR_MEMORY] = FSC__EXIT_FAILED,
        [FSC_ERR_NO_DEVICE] = FSC__EXIT_NO_DEVICE, [FSC_ERR_DEVICE] = FSC__EXIT_FAILED,
        [FSC_ERR_BUILD] = FSC__EXIT_FAILED,        [FSC_ERR_INTERNAL] = FSC__EXIT_FAILED,
    };
    fprintf(stderr, "fusescope: %s\n", why->text);
    const size_t status = (size_t)why->status;
    return status < sizeof exits / sizeof exits[0] ? exits[status] : FSC__EXIT_FAILED;
}

fsc_status fsc__open_device(const fsc__environment *env, const char *select, fsc_device **device,
                            fsc_error *why)
{
    const fsc__device_options options = {
        .cache = env->cache, .dump = env->dump, .keep_programs = FSC__KEEP_PROGRAMS};
    fsc__device_info *list = NULL;
    int *chosen = NULL;
    int count = 0;
    int chosen_count = 0;
    fsc_status status;
    if (select == NULL || select[0] == '\0')
        select = env->device;
    FSC_GO(fsc__devices_list(&list, &count, why));
    chosen = fsc__calloc((size_t)count + 1, sizeof *chosen);
    if (chosen == NULL) {
        status = fsc__fail(why, FSC_ERR_MEMORY, "no memory for %d devices", count);
        goto done;
    }
    FSC_GO(fsc__devices_select(list, count, select, true, chosen, &chosen_count, why));
    FSC_GO(fsc__device_open(&list[chosen[0]], &options, device, why));
done:
    fsc__free(chosen);
    fsc__free(list);
    return status;
}

fsc__page fsc__stdout_page(const fsc__environment *env)
{
    const bool colour = isatty(STDOUT_FILENO) && !env->no_color;
    return (fsc__page){.out = stdout, .colour = colour};
}
