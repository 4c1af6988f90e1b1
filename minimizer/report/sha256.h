/* sha256.h - the fingerprint by which people compare files. */
#ifndef AUTODD_SHA256_H
#define AUTODD_SHA256_H

#include "config/base.h"

/* 64 hexadecimal digits and a NUL. */
void sha256_hex(struct bytes data, char out[65]);

#endif
