/* One trial of the probe: building its kernel, running the checks, comparing with C. */
#include "device/probe.h"

#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "device/launch_private.h"
#include "kernel/prelude.h"
#include "kernel/source.h"
#include "numeric/dtype.h"
#include "numeric/fpenv.h"

enum {
    X,
    Y,
    Z,
    CODES,
    OUT,
    BUFFERS,
    ARGS = 8,
    LOCAL = 16,
    SPIN = FSC__CHECK_COUNT, /* as fsc__check_write names them */
    COUNT,
    SPIN_ITEMS = 64,
    MOST_LOOPS = 32768,
    COUNTED_LOOPS = 100000
};

static const size_t buffer_bytes[BUFFERS] = {
    FSC__HALF_FLOATS * sizeof(float),    FSC__CHECK_PATTERNS * sizeof(float),
    FSC__CHECK_PATTERNS * sizeof(float), FSC__HALF_FLOATS * sizeof(uint16_t),
    FSC__HALF_CODES * sizeof(float),
};

/* What is needed to run the probe's kernel, and the host side of its buffers. */
typedef struct probe_rig {
    fsc_device *device;
    fsc__program program;
    fsc__buffer *buffers[BUFFERS];
    void *host[BUFFERS];
    fsc__arg args[ARGS];
    fsc__step step;
    int width;
} probe_rig;

static fsc_status write_text(const fsc__caps *trial, int width, const char *amend, fsc__text *text,
                             fsc_error *why)
{
    fsc_status status = FSC_OK;
    fsc__text prelude = {0}, generated = {0};
    fsc__prelude_write(trial, width, &prelude);
    fsc__text_add(&generated, "%s", amend);
    fsc__check_write(&generated);
    if (prelude.failed || generated.failed)
        status = fsc__fail(why, FSC_ERR_MEMORY, "out of memory for the probe's text");
    else
        status = fsc__source_flatten("probe.cl", prelude.data, generated.data, text, why);
    fsc__text_deinit(&prelude);
    fsc__text_deinit(&generated);
    return status;
}

fsc_status fsc__probe_texts(const fsc__caps *caps, int width, fsc__text *text, fsc_error *why)
{
    fsc__caps trial = *caps;
    for (int way = FSC__ROUND_PLAIN; way < FSC__ROUND_NONE; ++way) {
        trial.divide = trial.sqrt = (fsc__round_way)way;
        trial.contracts = way != FSC__ROUND_PLAIN;
        FSC_TRY(write_text(&trial, width, "", text, why));
    }
    return FSC_OK;
}

static void describe_step(probe_rig *rig)
{
    static const fsc__arg args[ARGS] = {
        {.name = "x", .kind = FSC__ARG_SCRATCH, .index = X},
        {.name = "y", .kind = FSC__ARG_SCRATCH, .index = Y},
        {.name = "z", .kind = FSC__ARG_SCRATCH, .index = Z},
        {.name = "halves", .kind = FSC__ARG_SCRATCH, .index = CODES},
        {.name = "codes", .kind = FSC__ARG_SCRATCH, .index = CODES},
        {.name = "out", .kind = FSC__ARG_SCRATCH, .index = OUT},
        {.name = "op", .kind = FSC__ARG_INT},
        {.name = "loops", .kind = FSC__ARG_INT},
    };
    memcpy(rig->args, args, sizeof args);
    rig->step = (fsc__step){.name = "probe", .args = rig->args, .arg_count = ARGS};
    for (int axis = 0; axis < 3; ++axis)
        rig->step.global[axis] = rig->step.local[axis] = 1;
    rig->step.local[0] = LOCAL;
}

static fsc_status open_rig(probe_rig *rig, fsc_device *device, const fsc__caps *trial, int width,
                           const char *amend, fsc_error *why)
{
    fsc_status status = FSC_OK;
    cl_int code = CL_SUCCESS;
    fsc__text text = {0};
    rig->device = device;
    rig->width = width;
    rig->program.device = device;
    describe_step(rig);
    FSC_GO(write_text(trial, width, amend, &text, why));
    FSC_GO(fsc__program_build(device, text.data, "probe", &rig->program.program, NULL, NULL, why));
    FSC_GO(CL_MAKE(rig->program.kernel, clCreateKernel(rig->program.program, "probe", &code), why));
    FSC_GO(
        CL_CALL(clGetKernelWorkGroupInfo(rig->program.kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                         sizeof rig->program.group, &rig->program.group, NULL),
                why));
    for (int i = 0; i < BUFFERS; ++i) {
        rig->host[i] = fsc__calloc(buffer_bytes[i], 1);
        if (!rig->host[i])
            FSC_GO(fsc__fail(why, FSC_ERR_MEMORY, "out of memory for the probe's patterns"));
        FSC_GO(fsc__buffer_create(device, buffer_bytes[i], &rig->buffers[i], why));
    }
done:
    fsc__text_deinit(&text);
    return status;
}

static void close_rig(probe_rig *rig)
{
    for (int i = 0; i < BUFFERS; ++i) {
        fsc__buffer_free(rig->buffers[i]);
        fsc__free(rig->host[i]);
    }
    fsc__cl_release_kernel(&rig->program.kernel);
    fsc__cl_release_program(&rig->program.program);
}

static fsc_status run_op(probe_rig *rig, int op, int loops, size_t items, uint64_t *ns,
                         fsc_error *why)
{
    rig->args[ARGS - 2].integer = op;
    rig->args[ARGS - 1].integer = loops;
    rig->step.global[0] = items;
    const fsc__bindings bindings = {.scratch = rig->buffers};
    return fsc__step_run(rig->device, &rig->program, &rig->step, &bindings, ns, why);
}

static bool is_subnormal(uint32_t bits)
{
    return (bits & 0x7f800000u) == 0 && (bits & 0x007fffffu) != 0;
}

static void note(fsc__finding *finding, uint32_t x, uint32_t y, uint32_t z, uint32_t got,
                 uint32_t want)
{
    ++finding->tried;
    if (got == want)
        return;
    if (finding->differ++ == 0) {
        finding->x = x;
        finding->y = y;
        finding->z = z;
        finding->got = got;
        finding->want = want;
    }
    finding->differ_normal +=
        !is_subnormal(x) && !is_subnormal(y) && !is_subnormal(z) && !is_subnormal(want);
}

static fsc_status void_environment(fsc_error *why)
{
    FSC_FAIL(why, FSC_ERR_INTERNAL, "the floating-point environment changed during the probe");
}

/* Runs one check and compares. Drivers change the floating-point environment of the calling thread,
   so C computes inside one of its own. */
static fsc_status check_op(probe_rig *rig, fsc__check_id id, fsc__fma fma, fsc__finding *finding,
                           fsc_error *why)
{
    float *x = rig->host[X], *y = rig->host[Y], *z = rig->host[Z], *out = rig->host[OUT];
    const size_t bytes = FSC__CHECK_PATTERNS * sizeof *x;
    fsc__fpenv env;
    fsc__fpenv_enter(&env);
    fsc__check_fill(id, x, y, z);
    if (!fsc__fpenv_leave(&env))
        return void_environment(why);
    for (int i = X; i <= Z; ++i)
        FSC_TRY(fsc__buffer_write(rig->buffers[i], rig->host[i], bytes, why));
    FSC_TRY(fsc__buffer_poison(rig->buffers[OUT], 0x7fa5a5a5u, why));
    FSC_TRY(run_op(rig, (int)id, 0, (size_t)(FSC__CHECK_PATTERNS / rig->width), NULL, why));
    FSC_TRY(fsc__buffer_read(rig->buffers[OUT], out, bytes, why));
    fsc__fpenv_enter(&env);
    for (int i = 0; i < FSC__CHECK_PATTERNS; ++i)
        note(finding, fsc__f32_bits(x[i]), fsc__f32_bits(y[i]), fsc__f32_bits(z[i]),
             fsc__f32_bits(out[i]), fsc__check_expect(id, fma, x[i], y[i], z[i]));
    if (!fsc__fpenv_leave(&env))
        return void_environment(why);
    return FSC_OK;
}

/* All 65,536 halves to float. */
static fsc_status check_load_half(probe_rig *rig, fsc__finding *finding, fsc_error *why)
{
    uint16_t *codes = rig->host[CODES];
    uint32_t *out = rig->host[OUT];
    for (uint32_t code = 0; code < FSC__HALF_CODES; ++code)
        codes[code] = (uint16_t)code;
    FSC_TRY(fsc__buffer_write(rig->buffers[CODES], codes, FSC__HALF_CODES * sizeof *codes, why));
    FSC_TRY(fsc__buffer_poison(rig->buffers[OUT], 0x7fa5a5a5u, why));
    FSC_TRY(
        run_op(rig, FSC__CHECK_LOAD_HALF, 0, (size_t)(FSC__HALF_CODES / rig->width), NULL, why));
    FSC_TRY(fsc__buffer_read(rig->buffers[OUT], out, FSC__HALF_CODES * sizeof *out, why));
    for (uint32_t code = 0; code < FSC__HALF_CODES; ++code) {
        const bool nan = (code & 0x7fff) > 0x7c00;
        const uint32_t want = fsc__f32_bits(fsc__f32_from_f16((uint16_t)code));
        note(finding, code, 0, 0, out[code], nan ? 0x7fc00000u : want);
    }
    return FSC_OK;
}

/* Floats to halves: exact values, all ties and their neighbours. */
static fsc_status check_store_half(probe_rig *rig, fsc__finding *finding, fsc_error *why)
{
    float *x = rig->host[X];
    uint16_t *codes = rig->host[CODES];
    fsc__fpenv env;
    fsc__fpenv_enter(&env);
    fsc__check_fill_halves(x);
    if (!fsc__fpenv_leave(&env))
        return void_environment(why);
    FSC_TRY(fsc__buffer_write(rig->buffers[X], x, buffer_bytes[X], why));
    FSC_TRY(fsc__buffer_poison(rig->buffers[CODES], 0x7fa57fa5u, why));
    FSC_TRY(
        run_op(rig, FSC__CHECK_STORE_HALF, 0, (size_t)(FSC__HALF_FLOATS / rig->width), NULL, why));
    FSC_TRY(fsc__buffer_read(rig->buffers[CODES], codes, buffer_bytes[CODES], why));
    fsc__fpenv_enter(&env);
    for (int i = 0; i < FSC__HALF_FLOATS; ++i)
        note(finding, fsc__f32_bits(x[i]), 0, 0, codes[i], fsc__f16_from_f32(x[i]));
    if (!fsc__fpenv_leave(&env))
        return void_environment(why);
    return FSC_OK;
}

static uint64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Event times are believed where those of a launch of a millisecond or more are within its wall
   time and at least a twentieth of it. (One driver reports 0 or 1 ns, with success.) */
static fsc_status check_timer(probe_rig *rig, bool *believable, fsc_error *why)
{
    enum { TRIES = 3 };
    bool *const uses_events = &rig->device->caps.timer;
    *believable = false;
    int loops = 256;
    for (int tries = 0; tries < TRIES && !*believable;) {
        uint64_t event_ns = 0;
        const uint64_t before = wall_ns();
        *uses_events = true;
        const fsc_status status = run_op(rig, SPIN, loops, SPIN_ITEMS, &event_ns, why);
        *uses_events = false;
        if (status != FSC_OK)
            return status;
        const uint64_t wall = wall_ns() - before;
        if (wall < 1000000 && loops < MOST_LOOPS) {
            loops *= 2;
            continue;
        }
        *believable = event_ns > wall / 20 && event_ns <= wall;
        ++tries;
    }
    return FSC_OK;
}

/* Whether a loop runs to its end. (llvmpipe leaves out what is beyond 65,535 iterations of all
   loops of a work-item together, with success.) */
static fsc_status check_loops(probe_rig *rig, int *limit, fsc_error *why)
{
    const size_t bytes = FSC__CHECK_PATTERNS * sizeof(float);
    float *x = rig->host[X], *ones = rig->host[Y], *out = rig->host[OUT];
    for (int i = 0; i < FSC__CHECK_PATTERNS; ++i) {
        x[i] = 0.0f;
        ones[i] = 1.0f;
    }
    FSC_TRY(fsc__buffer_write(rig->buffers[X], x, bytes, why));
    FSC_TRY(fsc__buffer_write(rig->buffers[Y], ones, bytes, why));
    FSC_TRY(fsc__buffer_write(rig->buffers[Z], ones, bytes, why));
    FSC_TRY(run_op(rig, COUNT, COUNTED_LOOPS, LOCAL, NULL, why));
    FSC_TRY(fsc__buffer_read(rig->buffers[OUT], out, bytes, why));
    *limit = out[0] < COUNTED_LOOPS ? (int)out[0] : 0;
    return FSC_OK;
}

fsc_status fsc__probe_trial(fsc_device *device, fsc__caps *trial, int width, const char *amend,
                            fsc__finding findings[FSC__CHECK_COUNT], fsc_error *why)
{
    probe_rig rig = {0};
    fsc_status status = FSC_OK;
    FSC_GO(open_rig(&rig, device, trial, width, amend, why));
    if (rig.program.group < trial->kernel_group)
        trial->kernel_group = rig.program.group;
    for (int id = 0; id < FSC__CHECK_LOAD_HALF; ++id)
        FSC_GO(check_op(&rig, (fsc__check_id)id, trial->fma, &findings[id], why));
    FSC_GO(check_load_half(&rig, &findings[FSC__CHECK_LOAD_HALF], why));
    FSC_GO(check_store_half(&rig, &findings[FSC__CHECK_STORE_HALF], why));
    FSC_GO(check_timer(&rig, &trial->timer, why));
    FSC_GO(check_loops(&rig, &trial->loop_limit, why));
done:
    close_rig(&rig);
    return status;
}
