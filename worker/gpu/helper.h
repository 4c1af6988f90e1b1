/* helper.h - what the helper process says: one JSON object a line on its
 * standard output, and ends with its standard input.
 *
 *   {"frame":"none","why":TEXT}        no library, no driver: it ends
 *   {"frame":"gpus","driver":TEXT,"gpus":[GPU...]}    once, the first
 *   {"frame":"beat","gpus":[{"uuid":TEXT,"used":N,"free":N,
 *                            "procs":[[PID,BYTES]...]}...]}     twice a second
 *   {"frame":"xid","uuid":TEXT,"code":N}
 *   {"frame":"bad","uuid":TEXT,"why":TEXT,"lost":BOOL}   the driver's own word
 *
 * GPU: uuid, name, index, total, free, used (bytes), mode (compute mode), and
 * for a MIG instance parent, the uuid of its GPU. A GPU in MIG mode is not
 * there itself, its instances are. */
#ifndef AUTODD_GPU_HELPER_H
#define AUTODD_GPU_HELPER_H

#define HELPER_BEAT_MS 500
#define HELPER_LINE_MAX (1u << 20)

#endif
