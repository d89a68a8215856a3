/* Device text as blocks: runs of lines between blank lines, the names that each defines, and which
   of them are needed. */
#ifndef FSC_KERNEL_BLOCKS_H
#define FSC_KERNEL_BLOCKS_H

#include "base/text.h"

typedef struct fsc__block {
    const char *text; /* borrowed from the file */
    size_t length;
    const char *file; /* borrowed */
    int line;         /* of its first line */
    bool kept;
} fsc__block;

typedef struct fsc__block_name {
    const char *at;
    size_t length;
    int block;
} fsc__block_name;

typedef struct fsc__blocks {
    fsc__block *at;
    int count, capacity;
    fsc__block_name *names;
    int name_count, name_capacity;
    bool failed; /* out of memory: check once */
} fsc__blocks;

/* Adds the blocks of a file. Left out: #include lines, the include guard, and the lines meant for C
   (#ifndef __OPENCL_VERSION__). Blank lines inside braces, comments and other conditionals do not
   end a block. */
void fsc__blocks_split(fsc__blocks *blocks, const char *file, const char *text);

/* Adds each line as a block. */
void fsc__blocks_lines(fsc__blocks *blocks, const char *file, const char *text);

/* Keeps the block, or every block that defines a name mentioned in the text, and what those mention
   in turn. */
void fsc__blocks_keep(fsc__blocks *blocks, int block);
void fsc__blocks_keep_mentioned(fsc__blocks *blocks, const char *text, size_t length);

/* Whether the block defines any name. */
bool fsc__blocks_defines(const fsc__blocks *blocks, int block);

void fsc__blocks_deinit(fsc__blocks *blocks);

/* A piece of text being read word by word. */
typedef struct fsc__span {
    const char *at;
    size_t length;
} fsc__span;

/* The next identifier or single character that is neither blank nor in a comment; false at the end.
   Numbers are one token, as are string literals. */
bool fsc__span_token(fsc__span *rest, fsc__span *token);
bool fsc__span_is(fsc__span token, const char *word);

#endif
