/* The decision: trials until nothing differs or a quirk refuses. */
#include "device/probe.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "device/cache.h"
#include "device/handle.h"
#include "kernel/emit.h"

enum {
    PROBE_VERSION = 2
}; /* of patterns, checks and quirks: kept results of others are not read */

/* A faultless device, with the limits of this one. */
static fsc__caps first_trial(const fsc__caps *caps)
{
    fsc__caps trial = *caps;
    trial.fma = FSC__FMA_EXACT;
    trial.divide = trial.sqrt = FSC__ROUND_PLAIN;
    trial.contracts = trial.timer = false;
    trial.loop_limit = 0;
    trial.keeps_subnormals = trial.converts_half = true;
    trial.refused[0] = '\0';
    return trial;
}

static fsc_status probe_key(fsc_device *device, const fsc__caps *trial, const int widths[2],
                            char key[FSC__CACHE_KEY_BYTES], fsc_error *why)
{
    fsc__text text = {0};
    fsc_status status = FSC_OK;
    fsc__text_add(&text, "probe %d\n", (int)PROBE_VERSION);
    for (int i = 0; i < 2; ++i)
        FSC_GO(fsc__probe_texts(trial, widths[i], &text, why));
    if (text.failed)
        status = fsc__fail(why, FSC_ERR_MEMORY, "out of memory for the probe");
    else
        status = fsc__cache_key(text.data, device->options, &device->info, key, why);
done:
    fsc__text_deinit(&text);
    return status;
}

static fsc_status measure(fsc_device *device, fsc__caps *trial, const int widths[2],
                          fsc__finding findings[FSC__CHECK_COUNT], fsc_error *why)
{
    memset(findings, 0, FSC__CHECK_COUNT * sizeof findings[0]);
    FSC_TRY(fsc__probe_trial(device, trial, widths[0], "", findings, why));
    if (widths[1] != widths[0])
        FSC_TRY(fsc__probe_trial(device, trial, widths[1], "", findings, why));
    return FSC_OK;
}

static fsc_status run_trials(fsc_device *device, fsc__caps *trial, const int widths[2],
                             fsc_error *why)
{
    fsc__finding findings[FSC__CHECK_COUNT];
    for (bool refused = false; !refused;) {
        FSC_TRY(measure(device, trial, widths, findings, why));
        const fsc__quirk *quirk = fsc__quirk_next(trial, findings);
        if (!quirk)
            break;
        refused = fsc__quirk_apply(quirk, trial);
        char sentence[sizeof trial->refused];
        fsc__quirk_describe(quirk, findings, sentence, sizeof sentence);
        if (refused)
            memcpy(trial->refused, sentence, sizeof sentence);
        const size_t used = strlen(device->quirks);
        snprintf(device->quirks + used, sizeof device->quirks - used, "%s%s", used ? " " : "",
                 fsc__quirk_name(quirk));
        fsc__log(FSC__LOG_INFO, "%s: quirk %s: %s", fsc__device_alias(&device->info),
                 fsc__quirk_name(quirk), sentence);
    }
    return FSC_OK;
}

fsc_status fsc__probe(fsc_device *device, fsc__caps *caps, fsc_error *why)
{
    fsc__caps trial = first_trial(caps);
    const int widths[2] = {fsc__tile_default(&trial).width, 1};
    char key[FSC__CACHE_KEY_BYTES];
    FSC_TRY(probe_key(device, &trial, widths, key, why));
    if (fsc__probe_load(device, key, &trial, device->quirks, sizeof device->quirks)) {
        *caps = trial;
        return FSC_OK;
    }
    const fsc_status status = run_trials(device, &trial, widths, why);
    if (status == FSC_ERR_BUILD) { /* an answer: this compiler cannot do what every kernel needs */
        if (why)
            snprintf(trial.refused, sizeof trial.refused, "%.*s", (int)sizeof trial.refused - 1,
                     why->text);
        else
            snprintf(trial.refused, sizeof trial.refused, "the probe's kernel does not build");
    } else if (status != FSC_OK) {
        return status;
    }
    fsc__probe_save(device, key, &trial, device->quirks);
    *caps = trial;
    return FSC_OK;
}
