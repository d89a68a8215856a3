/* Handing cases to workers and collecting their rows. */
#include "experiment/coordinator.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "case/repro.h"
#include "case/row.h"
#include "experiment/process.h"
#include "experiment/target.h"

enum { GRACE_MS = 5000 };

/* A run under way. */
typedef struct state {
    const fsc__run *run;
    const fsc__target *target;
    fsc__process worker; /* pid 0: none at the moment */
    char *dead;          /* why no worker of this target can be started, else NULL */
    int done, total;
    bool interrupted;
} state;

static fsc_status start_worker(state *s, fsc_error *why)
{
    const char *args[] = {"fusescope", "worker", "--device", s->target->select, NULL};
    cJSON *hello = NULL;
    FSC_TRY(fsc__process_start(s->run->program, args, s->target->entry->env, &s->worker, why));
    const fsc_status status = fsc__target_ask(s->run, &s->worker, &hello, why);
    cJSON_Delete(hello);
    if (status != FSC_OK)
        fsc__process_stop(&s->worker, 0, NULL, 0);
    return status;
}

/* The case as the worker gets it: with the device's own keys. NULL when out of memory. */
static cJSON *case_for(const state *s, const cJSON *case_json)
{
    cJSON *made = cJSON_Duplicate(case_json, true);
    const int64_t most = s->target->entry->max_elements;
    if (made != NULL && cJSON_AddStringToObject(made, "device", s->target->select) != NULL &&
        (most == 0 || cJSON_AddNumberToObject(made, "max_elements", (double)most) != NULL))
        return made;
    cJSON_Delete(made);
    return NULL;
}

/* A repro line runs in the environment of the device's entry. */
static fsc_status put_environment(const state *s, cJSON *row, fsc_error *why)
{
    const cJSON *env = s->target->entry->env;
    cJSON *repro = cJSON_GetObjectItemCaseSensitive(row, "repro");
    if (cJSON_GetArraySize(env) == 0 || !cJSON_IsString(repro))
        return FSC_OK;
    fsc__text line = {0};
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, env)
    {
        fsc__text_add(&line, "%s=", item->string);
        fsc__repro_word(&line, item->valuestring);
        fsc__text_add(&line, " ");
    }
    fsc__text_add(&line, "%s", repro->valuestring);
    const bool ok = !line.failed && cJSON_SetValuestring(repro, line.data) != NULL;
    fsc__text_deinit(&line);
    if (!ok)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for a repro line");
    return FSC_OK;
}

static fsc_status give_up(const state *s, const cJSON *case_json, fsc__verdict verdict,
                          const char *reason, cJSON **row, fsc_error *why)
{
    *row = fsc__row_without_run(case_json, s->target->device, s->target->driver, verdict, reason);
    if (*row == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for a row");
    return FSC_OK;
}

/* The worker's row, or the row of its end. */
static fsc_status hear_row(state *s, const cJSON *case_json, cJSON **row, fsc_error *why)
{
    char how[96];
    char reason[160];
    char *line = NULL;
    const fsc__heard heard =
        fsc__process_hear(&s->worker, s->run->timeout_s * 1000, s->run->interrupt_fd, &line);
    switch (heard) {
    case FSC__HEARD_LINE: {
        const fsc_status status = fsc__json_parse("worker", line, strlen(line), row, why);
        fsc__free(line);
        return status;
    }
    case FSC__HEARD_END:
        fsc__process_stop(&s->worker, GRACE_MS, how, sizeof how);
        snprintf(reason, sizeof reason, "the worker died: %s", how);
        return give_up(s, case_json, FSC__CRASH, reason, row, why);
    case FSC__HEARD_NOTHING:
        fsc__process_stop(&s->worker, 0, NULL, 0);
        snprintf(reason, sizeof reason, "no result in %lld s (timeout_s)",
                 (long long)s->run->timeout_s);
        return give_up(s, case_json, FSC__TIMEOUT, reason, row, why);
    case FSC__HEARD_INTERRUPT:
        s->interrupted = true;
        return FSC_OK;
    case FSC__HEARD_FAILURE:
        break;
    }
    FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for a row");
}

/* One case on the worker, which is started if there is none. *row stays NULL when interrupted. */
static fsc_status ask_worker(state *s, const cJSON *case_json, cJSON **row, fsc_error *why)
{
    fsc_error said = {.text = ""};
    if (s->worker.pid == 0 && s->dead == NULL && start_worker(s, &said) != FSC_OK) {
        s->interrupted = fsc__process_interrupted(s->run->interrupt_fd);
        if (s->interrupted)
            return FSC_OK;
        s->dead = fsc__strdup(said.text);
        if (s->dead == NULL)
            FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for a row");
    }
    if (s->dead != NULL)
        return give_up(s, case_json, FSC__ERROR, s->dead, row, why);
    char *text = cJSON_PrintUnformatted(case_json);
    if (text == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for a case");
    /* A worker that does not listen has died; what follows hears that. */
    if (fsc__process_say(&s->worker, text))
        fsc__process_say(&s->worker, "\n");
    fsc__free(text);
    return hear_row(s, case_json, row, why);
}

static fsc_status run_case(state *s, const cJSON *plain, fsc_error *why)
{
    const fsc__run *run = s->run;
    cJSON *row = NULL;
    cJSON *case_json = case_for(s, plain);
    if (case_json == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for a case");
    if (run->on_case != NULL)
        run->on_case(run->context, s->done, s->total, s->target->device,
                     cJSON_GetObjectItemCaseSensitive(plain, "id")->valuestring);
    fsc_status status;
    if (s->target->missing != NULL)
        FSC_GO(give_up(s, case_json, FSC__SKIPPED, s->target->missing, &row, why));
    else
        FSC_GO(ask_worker(s, case_json, &row, why));
    if (row != NULL) {
        s->done++;
        FSC_GO(put_environment(s, row, why));
        FSC_GO(run->on_row(run->context, row, why));
    }
done:
    cJSON_Delete(row);
    cJSON_Delete(case_json);
    return status;
}

static fsc_status run_target(state *s, fsc_error *why)
{
    fsc_status status = FSC_OK;
    const cJSON *case_json = NULL;
    cJSON_ArrayForEach(case_json, s->run->cases)
    {
        if (status == FSC_OK && !s->interrupted)
            status = run_case(s, case_json, why);
    }
    fsc__process_stop(&s->worker, s->interrupted ? 0 : GRACE_MS, NULL, 0);
    fsc__free(s->dead);
    s->dead = NULL;
    return status;
}

fsc_status fsc__coordinate(const fsc__run *run, bool *interrupted, fsc_error *why)
{
    fsc__target *targets = NULL;
    int count = 0;
    *interrupted = false;
    fsc_status status = fsc__targets_find(run, &targets, &count, why);
    if (status != FSC_OK) {
        *interrupted = fsc__process_interrupted(run->interrupt_fd);
        return *interrupted ? FSC_OK : status;
    }
    state s = {.run = run, .total = count * cJSON_GetArraySize(run->cases)};
    for (int i = 0; i < count && status == FSC_OK && !s.interrupted; i++) {
        s.target = &targets[i];
        status = run_target(&s, why);
    }
    fsc__targets_free(targets, count);
    *interrupted = s.interrupted;
    return status;
}
