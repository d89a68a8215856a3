/* Manifest and rows of a run. */
#include "experiment/journal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"

enum { FORMAT = 1 }; /* of the manifest and the rows */

struct fsc__journal {
    FILE *file;
    fsc__text path; /* of results.jsonl */
};

static fsc_status join(const char *folder, const char *name, fsc__text *path, fsc_error *why)
{
    fsc__text_add(path, "%s/%s", folder, name);
    if (path->failed)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for a path");
    return FSC_OK;
}

/* Refuses a manifest of another configuration, and results without a manifest. */
static fsc_status check_folder(const char *folder, const char *manifest, const char *results,
                               const char *hash, fsc_error *why)
{
    if (!fsc__file_exists(manifest)) {
        if (fsc__file_exists(results))
            FSC_FAIL(why, FSC_ERR_INPUT,
                     "%s has results.jsonl without manifest.json; choose another folder", folder);
        return FSC_OK;
    }
    cJSON *root = NULL;
    FSC_TRY(fsc__json_read(manifest, &root, why));
    const cJSON *theirs = cJSON_GetObjectItemCaseSensitive(root, "hash");
    const cJSON *config = cJSON_GetObjectItemCaseSensitive(root, "config");
    fsc_status status = FSC_OK;
    if (!cJSON_IsString(theirs) || strcmp(theirs->valuestring, hash) != 0)
        status = fsc__fail(why, FSC_ERR_INPUT,
                           "%s has results of another configuration (%s); choose another folder "
                           "or remove it",
                           folder, cJSON_IsString(config) ? config->valuestring : "unknown");
    cJSON_Delete(root);
    return status;
}

static fsc_status write_manifest(const char *path, const char *config_path,
                                 const fsc__config *config, const char *hash, fsc_error *why)
{
    cJSON *root = cJSON_CreateObject();
    const bool made = root != NULL && cJSON_AddNumberToObject(root, "format", FORMAT) != NULL &&
                      cJSON_AddStringToObject(root, "fusescope", fsc_version()) != NULL &&
                      cJSON_AddStringToObject(root, "config", config_path) != NULL &&
                      cJSON_AddStringToObject(root, "name", config->name) != NULL &&
                      cJSON_AddStringToObject(root, "hash", hash) != NULL;
    char *text = made ? cJSON_Print(root) : NULL;
    cJSON_Delete(root);
    if (text == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for the manifest");
    const fsc_status status = fsc__file_write(path, text, strlen(text), why);
    fsc__free(text);
    return status;
}

static fsc_status prepare(const char *folder, const char *config_path, const fsc__config *config,
                          fsc__journal *journal, fsc_error *why)
{
    char hash[33];
    fsc__text manifest = {0};
    fsc_status status;
    FSC_GO(fsc__config_hash(config, hash, why));
    FSC_GO(join(folder, "manifest.json", &manifest, why));
    FSC_GO(join(folder, "results.jsonl", &journal->path, why));
    FSC_GO(fsc__folder_make(folder, why));
    FSC_GO(check_folder(folder, manifest.data, journal->path.data, hash, why));
    FSC_GO(write_manifest(manifest.data, config_path, config, hash, why));
    journal->file = fopen(journal->path.data, "w");
    if (journal->file == NULL)
        status = fsc__fail(why, FSC_ERR_FILE, "%s: %s", journal->path.data, strerror(errno));
done:
    fsc__text_deinit(&manifest);
    return status;
}

fsc_status fsc__journal_open(const char *folder, const char *config_path, const fsc__config *config,
                             fsc__journal **journal, fsc_error *why)
{
    fsc__journal *made = fsc__calloc(1, sizeof *made);
    if (made == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for the results' file");
    const fsc_status status = prepare(folder, config_path, config, made, why);
    if (status == FSC_OK)
        *journal = made;
    else
        fsc__journal_close(made, NULL);
    return status;
}

fsc_status fsc__journal_add(fsc__journal *journal, const cJSON *row, fsc_error *why)
{
    char *text = cJSON_PrintUnformatted(row);
    if (text == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for the text of a row");
    const bool written = fprintf(journal->file, "%s\n", text) >= 0 && fflush(journal->file) == 0;
    const int error = errno;
    fsc__free(text);
    if (!written)
        FSC_FAIL(why, FSC_ERR_FILE, "%s: %s", journal->path.data, strerror(error));
    return FSC_OK;
}

fsc_status fsc__journal_close(fsc__journal *journal, fsc_error *why)
{
    if (journal == NULL)
        return FSC_OK;
    fsc_status status = FSC_OK;
    if (journal->file != NULL && fclose(journal->file) != 0)
        status = fsc__fail(why, FSC_ERR_FILE, "%s: %s", journal->path.data, strerror(errno));
    fsc__text_deinit(&journal->path);
    fsc__free(journal);
    return status;
}
