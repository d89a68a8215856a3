/* .npy files (NEP 1): a magic string, a version, a length, a Python dictionary, the elements. The
   dictionary is read by a parser that knows its three keys and nothing else. The host is
   little-endian, as the files are. */
#include "graph/npy.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

enum { MAGIC_BYTES = 6, DICT_ALIGN = 64, DESCR_BYTES = 16 };

static const char magic[] = "\x93NUMPY";

typedef struct descr_row {
    const char *descr;
    fsc_dtype type;
} descr_row;

static const descr_row descrs[] = {
    {"<f2", FSC_F16}, {"<f4", FSC_F32}, {"<f8", FSC_F64}, {"<u2", FSC_BF16},
    {"|i1", FSC_I8},  {"|u1", FSC_U8},  {"<i4", FSC_I32},
};
enum { DESCR_COUNT = sizeof descrs / sizeof descrs[0] };

/* The unread part of the dictionary, and what was found in it. */
typedef struct npy_header {
    const char *at, *end;
    const char *path;
    bool has_descr, has_order, has_shape;
    fsc_dtype type;
    fsc__shape shape;
} npy_header;

static void skip_blanks(npy_header *h)
{
    while (h->at < h->end && (*h->at == ' ' || *h->at == '\n' || *h->at == '\t' || *h->at == '\r'))
        h->at++;
}

/* Skips blanks and then the character, if it comes next. */
static bool take(npy_header *h, char c)
{
    skip_blanks(h);
    if (h->at == h->end || *h->at != c)
        return false;
    h->at++;
    return true;
}

static bool take_word(npy_header *h, const char *word)
{
    const size_t length = strlen(word);
    skip_blanks(h);
    if ((size_t)(h->end - h->at) < length || memcmp(h->at, word, length) != 0)
        return false;
    h->at += length;
    return true;
}

/* A quoted string without escapes, cut off by nothing: text has room for DESCR_BYTES. */
static bool take_string(npy_header *h, char *text)
{
    skip_blanks(h);
    if (h->at == h->end || (*h->at != '\'' && *h->at != '"'))
        return false;
    const char quote = *h->at++;
    const char *close = memchr(h->at, quote, (size_t)(h->end - h->at));
    if (!close || close - h->at >= DESCR_BYTES)
        return false;
    const size_t length = (size_t)(close - h->at);
    for (size_t i = 0; i < length; i++)
        if (h->at[i] < ' ' || h->at[i] > '~')
            return false;
    memcpy(text, h->at, length);
    text[length] = '\0';
    h->at = close + 1;
    return true;
}

static fsc_status malformed(const npy_header *h, const char *expected, fsc_error *why)
{
    FSC_FAIL(why, FSC_ERR_FILE, "%s: the header is not a .npy dictionary: expected %s", h->path,
             expected);
}

static fsc_status descr_read(npy_header *h, fsc_error *why)
{
    char descr[DESCR_BYTES];
    char list[64] = "";
    if (!take_string(h, descr))
        return malformed(h, "a plain type after 'descr'", why);
    for (int i = 0; i < DESCR_COUNT; i++) {
        if (strcmp(descrs[i].descr, descr) == 0) {
            h->type = descrs[i].type;
            return FSC_OK;
        }
        strcat(list, " ");
        strcat(list, descrs[i].descr);
    }
    FSC_FAIL(why, FSC_ERR_FILE, "%s: %stype %s; readable types:%s", h->path,
             descr[0] == '>' ? "big-endian " : "", descr, list);
}

static fsc_status order_read(npy_header *h, fsc_error *why)
{
    if (take_word(h, "False"))
        return FSC_OK;
    if (!take_word(h, "True"))
        return malformed(h, "True or False after 'fortran_order'", why);
    FSC_FAIL(why, FSC_ERR_FILE, "%s: Fortran order; save it in C order (numpy.ascontiguousarray)",
             h->path);
}

static fsc_status size_read(npy_header *h, int64_t *size, fsc_error *why)
{
    skip_blanks(h);
    if (take(h, '-'))
        FSC_FAIL(why, FSC_ERR_FILE, "%s: negative size in the shape", h->path);
    if (h->at == h->end || *h->at < '0' || *h->at > '9')
        return malformed(h, "a whole number in the shape", why);
    *size = 0;
    for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++) {
        if (*size > (INT64_MAX - 9) / 10)
            FSC_FAIL(why, FSC_ERR_FILE, "%s: a size in the shape is beyond 2^63", h->path);
        *size = *size * 10 + (*h->at - '0');
    }
    return FSC_OK;
}

/* "()", "(3,)", "(3, 4)" */
static fsc_status shape_read(npy_header *h, fsc_error *why)
{
    h->shape.rank = 0;
    if (!take(h, '('))
        return malformed(h, "a tuple after 'shape'", why);
    bool comma = true;
    while (!take(h, ')')) {
        if (!comma)
            return malformed(h, "a comma or ) in the shape", why);
        if (h->shape.rank == FSC_MAX_RANK)
            FSC_FAIL(why, FSC_ERR_FILE, "%s: more than %d axes", h->path, FSC_MAX_RANK);
        FSC_TRY(size_read(h, &h->shape.dims[h->shape.rank++], why));
        comma = take(h, ',');
    }
    if (h->shape.rank == 1 && !comma)
        return malformed(h, "a tuple after 'shape'", why);
    return FSC_OK;
}

typedef fsc_status member_reader(npy_header *h, fsc_error *why);

static fsc_status member_read(npy_header *h, fsc_error *why)
{
    const struct {
        const char *key;
        bool *has;
        member_reader *read;
    } members[] = {{"descr", &h->has_descr, descr_read},
                   {"fortran_order", &h->has_order, order_read},
                   {"shape", &h->has_shape, shape_read}};
    char key[DESCR_BYTES];
    if (!take_string(h, key))
        return malformed(h, "a key", why);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (strcmp(members[i].key, key) != 0)
            continue;
        if (*members[i].has)
            return malformed(h, "each key once", why);
        if (!take(h, ':'))
            return malformed(h, "a colon after a key", why);
        *members[i].has = true;
        return members[i].read(h, why);
    }
    return malformed(h, "no key but descr, fortran_order, shape", why);
}

static fsc_status dict_read(npy_header *h, fsc_error *why)
{
    if (!take(h, '{'))
        return malformed(h, "{", why);
    bool comma = true;
    while (!take(h, '}')) {
        if (!comma)
            return malformed(h, "a comma or }", why);
        FSC_TRY(member_read(h, why));
        comma = take(h, ',');
    }
    skip_blanks(h);
    if (h->at != h->end)
        return malformed(h, "nothing after }", why);
    if (!h->has_descr || !h->has_order || !h->has_shape)
        return malformed(h, "the keys descr, fortran_order and shape", why);
    return FSC_OK;
}

/* The bytes that the shape claims; -1 when they are more than an int64 holds. */
static int64_t claimed_bytes(const npy_header *h)
{
    int64_t total = (int64_t)fsc__dtype_bytes(h->type);
    for (int i = 0; i < h->shape.rank; i++) {
        const int64_t dim = h->shape.dims[i];
        if (dim > 0 && total > INT64_MAX / dim)
            return -1;
        total *= dim;
    }
    return total;
}

/* Finds the dictionary; the data follow it. */
static fsc_status preamble_read(const char *file, size_t bytes, npy_header *h, fsc_error *why)
{
    if (bytes < MAGIC_BYTES + 2 || memcmp(file, magic, MAGIC_BYTES) != 0)
        FSC_FAIL(why, FSC_ERR_FILE, "%s: not a .npy file (no \\x93NUMPY at its start)", h->path);
    const unsigned char *at = (const unsigned char *)file + MAGIC_BYTES;
    const unsigned major = at[0], minor = at[1];
    if ((major != 1 && major != 2) || minor != 0)
        FSC_FAIL(why, FSC_ERR_FILE, "%s: .npy version %u.%u; readable versions: 1.0 2.0", h->path,
                 major, minor);
    const size_t length_bytes = major == 1 ? 2 : 4;
    const size_t start = MAGIC_BYTES + 2 + length_bytes;
    if (bytes < start)
        FSC_FAIL(why, FSC_ERR_FILE, "%s: ends inside the header", h->path);
    size_t length = 0;
    for (size_t i = 0; i < length_bytes; i++)
        length |= (size_t)at[2 + i] << (8 * i);
    if (length > bytes - start)
        FSC_FAIL(why, FSC_ERR_FILE, "%s: the header claims %zu bytes, the file has %zu more",
                 h->path, length, bytes - start);
    h->at = file + start;
    h->end = h->at + length;
    return FSC_OK;
}

fsc_status fsc__npy_read(const char *path, fsc_tensor *tensor, fsc_error *why)
{
    fsc_status status;
    char *file = NULL;
    size_t bytes = 0;
    npy_header h = {.path = path};
    char shape[128];
    fsc_tensor made = {0};

    FSC_TRY(fsc__file_read(path, &file, &bytes, why));
    FSC_GO(preamble_read(file, bytes, &h, why));
    FSC_GO(dict_read(&h, why));
    const int64_t held = (int64_t)bytes - (h.end - file);
    const int64_t claimed = claimed_bytes(&h);
    fsc__shape_write(&h.shape, shape, sizeof shape);
    if (claimed < 0)
        FSC_GO(
            fsc__fail(why, FSC_ERR_FILE, "%s: the shape %s is larger than any file", path, shape));
    if (claimed != held)
        FSC_GO(fsc__fail(why, FSC_ERR_FILE,
                         "%s: %s: a shape of %s %s takes %lld bytes, the file holds %lld", path,
                         claimed > held ? "truncated" : "bytes after the data", shape,
                         fsc__dtype_name(h.type), (long long)claimed, (long long)held));
    FSC_GO(fsc__tensor_init(&made, h.type, &h.shape, why));
    memcpy(made.data, h.end, (size_t)held);
    *tensor = made;
done:
    fsc__free(file);
    return status;
}

/* Magic, version 1.0, length and dictionary, padded so that the data are aligned. */
static size_t header_write(const fsc_tensor *tensor, char header[4 * DICT_ALIGN])
{
    enum { START = MAGIC_BYTES + 4, ROOM = 4 * DICT_ALIGN - START };
    const char *descr = NULL;
    for (int i = 0; i < DESCR_COUNT; i++)
        if (descrs[i].type == tensor->type)
            descr = descrs[i].descr;
    char *dict = header + START;
    int used = snprintf(dict, ROOM, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int i = 0; i < tensor->shape.rank; i++)
        used +=
            snprintf(dict + used, (size_t)(ROOM - used), "%lld%s", (long long)tensor->shape.dims[i],
                     i + 1 < tensor->shape.rank ? ", "
                     : i == 0                   ? ","
                                                : "");
    used += snprintf(dict + used, (size_t)(ROOM - used), "), }");
    size_t length = (size_t)used;
    while ((START + length + 1) % DICT_ALIGN != 0)
        dict[length++] = ' ';
    dict[length++] = '\n';
    memcpy(header, magic, MAGIC_BYTES);
    header[MAGIC_BYTES] = 1;
    header[MAGIC_BYTES + 1] = 0;
    header[MAGIC_BYTES + 2] = (char)(length & 0xff);
    header[MAGIC_BYTES + 3] = (char)(length >> 8);
    return START + length;
}

fsc_status fsc__npy_write(const char *path, const fsc_tensor *tensor, fsc_error *why)
{
    char header[4 * DICT_ALIGN];
    const size_t header_bytes = header_write(tensor, header);
    const size_t data_bytes =
        (size_t)fsc__shape_elems(&tensor->shape) * fsc__dtype_bytes(tensor->type);
    char *file = fsc__alloc(header_bytes + data_bytes, 1);
    if (!file)
        FSC_FAIL(why, FSC_ERR_MEMORY, "%s: out of memory for %zu bytes", path,
                 header_bytes + data_bytes);
    memcpy(file, header, header_bytes);
    memcpy(file + header_bytes, tensor->data, data_bytes);
    const fsc_status status = fsc__file_write(path, file, header_bytes + data_bytes, why);
    fsc__free(file);
    return status;
}
