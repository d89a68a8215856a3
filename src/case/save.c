/* Writing the tensors of a case. */
#include "case/save.h"

#include "base/file.h"
#include "graph/npy.h"

static fsc_status save(const char *folder, const char *prefix, const char *name,
                       const fsc_tensor *tensor, fsc_error *why)
{
    fsc__text path = {0};
    fsc__text_add(&path, "%s/%s%s.npy", folder, prefix, name);
    const fsc_status status = path.failed ? fsc__fail(why, FSC_ERR_MEMORY, "no memory for a path")
                                          : fsc__npy_write(path.data, tensor, why);
    fsc__text_deinit(&path);
    return status;
}

static fsc_status save_inputs(const fsc__spec *spec, const char *prefix, const fsc__side *side,
                              fsc_error *why)
{
    for (int i = 0; i < side->input_count; i++)
        FSC_TRY(save(spec->save, prefix, spec->graph->values[i].name, &side->in[i], why));
    return FSC_OK;
}

fsc_status fsc__save(const fsc__spec *spec, const fsc__outcome *outcome, fsc_error *why)
{
    const fsc__side *fused = &outcome->fused;
    const fsc__side *unfused = &outcome->unfused;
    FSC_TRY(fsc__folder_make(spec->save, why));
    FSC_TRY(save_inputs(spec, "input_", fused, why));
    FSC_TRY(save(spec->save, "", "fused", &fused->got, why));
    FSC_TRY(save(spec->save, "", "unfused", &unfused->got, why));
    FSC_TRY(save(spec->save, "", "predicted", &fused->predicted, why));
    FSC_TRY(save(spec->save, "", "predicted_unfused", &unfused->predicted, why));
    FSC_TRY(save(spec->save, "", "true", &fused->truth, why));
    if (unfused->twin != NULL)
        return FSC_OK;
    FSC_TRY(save_inputs(spec, "unfused_input_", unfused, why));
    return save(spec->save, "", "true_unfused", &unfused->truth, why);
}
