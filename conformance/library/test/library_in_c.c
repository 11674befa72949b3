// SPDX-License-Identifier: Apache-2.0
// The header in C, and a call as a program in C makes it.
#include "conformance/library/mxcert.h"

uint8_t code_of_in_c(float value);

uint8_t code_of_in_c(float value) {
    uint8_t code = 0;
    return mxcert_convert("fp32", "e4m3", "overflow=sat", &value, 0, 0, &code, 1, 1) == MXCERT_OK ? code : 0xFF;
}
