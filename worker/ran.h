/* ran.h - which lines of a script ran, as the tracer of observed.py leaves it.
 *
 * The tracer's file has one byte for each line, at the line's number. A byte
 * that is not zero stands for a line that ran, and byte 0 for a tracer that was
 * lost on the way. */
#ifndef AUTODD_RAN_H
#define AUTODD_RAN_H

/* The lines as ranges, "1-5,7,9-12" ("" for none), for the caller to free. NULL
 * when there is no such file, or the tracer was lost, or it is larger than 4
 * MiB, or its ranges are longer than RAN_MAX_BYTES: the run counts as not
 * traced. Blocks. */
char *ran_read(const char *path);

#endif
