/* Flattening of cl/ files: finding them, following includes, and writing down what is needed. */
#include "kernel/source.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "kernel/blocks.h"

static char *source_folder;

void fsc__source_folder(const char *path)
{
    fsc__free(source_folder);
    source_folder = path ? fsc__strdup(path) : NULL;
}

enum { MOST_FILES = 32, NAME_LENGTH = 63 };

typedef struct source_file {
    char name[NAME_LENGTH + 1];
    const char *text;
    char *loaded; /* text, where it came from the folder */
} source_file;

/* The files of one kernel, each once, in the order of their texts. */
typedef struct flattening {
    source_file files[MOST_FILES];
    int file_count;
    fsc__blocks blocks;
} flattening;

static fsc_status read_folder(source_file *file, fsc_error *why)
{
    fsc__text path = {0};
    size_t bytes = 0;
    fsc__text_add(&path, "%s/%s", source_folder, file->name);
    const fsc_status status =
        path.failed ? fsc__fail(why, FSC_ERR_MEMORY, "out of memory for %s", file->name)
                    : fsc__file_read(path.data, &file->loaded, &bytes, why);
    fsc__text_deinit(&path);
    file->text = file->loaded;
    return status;
}

static fsc_status find_text(source_file *file, fsc_error *why)
{
    if (source_folder)
        return read_folder(file, why);
    for (const fsc__embedded_file *known = fsc__embedded_files; known->name; known++)
        if (strcmp(known->name, file->name) == 0) {
            file->text = known->text;
            return FSC_OK;
        }
    FSC_FAIL(why, FSC_ERR_INTERNAL, "there is no kernel file called %s", file->name);
}

static fsc_status add_file(flattening *flat, fsc__span name, fsc_error *why);

/* Adds the files named in #include "..." lines. */
static fsc_status add_included(flattening *flat, const char *text, fsc_error *why)
{
    for (const char *line = text; *line; line += *line == '\n') {
        if (strncmp(line, "#include \"", 10) == 0) {
            const char *name = line + 10;
            FSC_TRY(add_file(flat, (fsc__span){name, strcspn(name, "\"\n")}, why));
        }
        line += strcspn(line, "\n");
    }
    return FSC_OK;
}

static fsc_status add_file(flattening *flat, fsc__span name, fsc_error *why)
{
    for (int i = 0; i < flat->file_count; i++)
        if (fsc__span_is(name, flat->files[i].name))
            return FSC_OK;
    if (flat->file_count == MOST_FILES || name.length > NAME_LENGTH)
        FSC_FAIL(why, FSC_ERR_INTERNAL, "a kernel includes too many files, or too long a name");
    source_file *file = &flat->files[flat->file_count++];
    memcpy(file->name, name.at, name.length);
    FSC_TRY(find_text(file, why));
    FSC_TRY(add_included(flat, file->text, why));
    fsc__blocks_split(&flat->blocks, file->name, file->text);
    return FSC_OK;
}

static bool has_kernel(const fsc__block *block)
{
    fsc__span rest = {block->text, block->length}, token;
    while (fsc__span_token(&rest, &token))
        if (fsc__span_is(token, "kernel") || fsc__span_is(token, "__kernel"))
            return true;
    return false;
}

static int count_lines(const fsc__block *block)
{
    int lines = 1;
    for (size_t i = 0; i < block->length; i++)
        lines += block->text[i] == '\n';
    return lines;
}

/* Appends the kept blocks among [begin, end), with #line where they are not neighbours. */
static void write_blocks(const fsc__blocks *blocks, int begin, int end, fsc__text *text)
{
    const char *file = NULL;
    int next_line = 0; /* where the driver believes a block after a blank line to be */
    for (int i = begin; i < end; i++) {
        const fsc__block *block = &blocks->at[i];
        if (!block->kept)
            continue;
        fsc__text_add(text, "\n");
        if (block->file != file || block->line != next_line)
            fsc__text_add(text, "#line %d \"%s\"\n", block->line, block->file);
        fsc__text_add_bytes(text, block->text, block->length);
        fsc__text_add(text, "\n");
        file = block->file;
        next_line = block->line + count_lines(block) + 1;
    }
}

/* Keeps what the kernels and the generated text need. The kernel file's opening comment stays. */
static void keep_needed(flattening *flat, int prelude_end, int kernel_file, const char *generated)
{
    fsc__blocks *blocks = &flat->blocks;
    for (int i = 0; i < prelude_end; i++)
        if (!fsc__blocks_defines(blocks, i))
            fsc__blocks_keep(blocks, i);
    for (int i = kernel_file; i < blocks->count; i++)
        if (has_kernel(&blocks->at[i]) || (i == kernel_file && !fsc__blocks_defines(blocks, i)))
            fsc__blocks_keep(blocks, i);
    fsc__blocks_keep_mentioned(blocks, generated, strlen(generated));
}

static void write_all(const fsc__blocks *blocks, int prelude_end, int kernel_file,
                      const char *generated, fsc__text *text)
{
    for (int i = 0; i < prelude_end; i++)
        if (blocks->at[i].kept) {
            fsc__text_add_bytes(text, blocks->at[i].text, blocks->at[i].length);
            fsc__text_add(text, "\n");
        }
    write_blocks(blocks, prelude_end, kernel_file, text);
    if (*generated)
        fsc__text_add(text, "\n#line 1 \"generated\"\n%s", generated);
    write_blocks(blocks, kernel_file, blocks->count, text);
}

fsc_status fsc__source_flatten(const char *file, const char *prelude, const char *generated,
                               fsc__text *text, fsc_error *why)
{
    fsc_status status = FSC_OK;
    flattening *flat = fsc__calloc(1, sizeof *flat);
    if (!flat)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory for the text of %s", file);
    fsc__blocks *blocks = &flat->blocks;
    fsc__blocks_lines(blocks, "prelude", prelude);
    const int prelude_end = blocks->count;
    FSC_GO(add_file(flat, (fsc__span){file, strlen(file)}, why));
    int kernel_file = prelude_end;
    while (kernel_file < blocks->count && strcmp(blocks->at[kernel_file].file, file) != 0)
        kernel_file++;
    if (!blocks->failed) {
        keep_needed(flat, prelude_end, kernel_file, generated);
        write_all(blocks, prelude_end, kernel_file, generated, text);
    }
    if (blocks->failed || text->failed)
        status = fsc__fail(why, FSC_ERR_MEMORY, "out of memory for the text of %s", file);
done:
    for (int i = 0; i < flat->file_count; i++)
        fsc__free(flat->files[i].loaded);
    fsc__blocks_deinit(blocks);
    fsc__free(flat);
    return status;
}
