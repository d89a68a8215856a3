/* Faults on purpose, to prove that the comparison with the prediction notices: the emitter writes
   wrong kernels while fsc__fault is set. Only in builds with FSC_FAULTS; elsewhere nothing is left.

   The element that FLIP_BIT and UNWRITTEN hit is the output's element number elems / 2; DROP_ROW
   leaves the last row unwritten; SWAP_COLUMNS exchanges columns 0 and 1 of every row. Rows and
   columns are those of the output's last axis. */
#ifndef FSC_KERNEL_FAULT_H
#define FSC_KERNEL_FAULT_H

typedef enum fsc__fault_kind {
    FSC__FAULT_NONE,
    FSC__FAULT_FLIP_BIT,     /* the lowest bit of one output */
    FSC__FAULT_DROP_ROW,     /* the last row is not stored */
    FSC__FAULT_UNWRITTEN,    /* one output is not stored */
    FSC__FAULT_SWAP_COLUMNS, /* columns 0 and 1 */
    FSC__FAULT_CONTRACT,     /* a product and the sum that reads it become one fma */
    FSC__FAULT_TANH_GELU,    /* gelu_tanh runs for gelu */
    FSC__FAULT_COUNT
} fsc__fault_kind;

#ifdef FSC_FAULTS
extern fsc__fault_kind fsc__fault;
#define FSC__FAULT_NOW fsc__fault
#else
#define FSC__FAULT_NOW FSC__FAULT_NONE
#endif
#define FSC__FAULT_IS(kind) (FSC__FAULT_NOW == (kind))

/* Writes store_wrong(), which stores as store_T does but for the present fault. */
struct fsc__writer;
void fsc__fault_write_store(struct fsc__writer *writer, const char *type);

#endif
