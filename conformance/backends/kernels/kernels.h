/* SPDX-License-Identifier: Apache-2.0
 * The kernels, in a subset of C that OpenCL C 1.2, CUDA C++, HIP C++ and C have in common. For OpenCL these files are
 * put together into one text: an include is nothing but its place here. */
#ifndef MXCERT_KERNELS_KERNELS_H
#define MXCERT_KERNELS_KERNELS_H

#include "types.h"

#include "device.h"

#include "parameters.h"

#include "number.h"

#include "place.h"

#include "plant.h"

#include "encode.h"

#include "decode.h"

#include "scale.h"

#include "range.h"

#include "matmul.h"

#include "layout.h"

#endif
