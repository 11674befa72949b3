/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MXCERT_PORTABLE_STOCHASTIC_H
#define MXCERT_PORTABLE_STOCHASTIC_H

#include <stdint.h>

/* float to E4M3 or E5M2, stochastically with 32 random bits a value of this library's own, saturating. */
void portable_stochastic_e4m3(const float* in, uint8_t* out, uint64_t count);
void portable_stochastic_e5m2(const float* in, uint8_t* out, uint64_t count);

#endif
