// SPDX-License-Identifier: Apache-2.0
#include "../kernels/kernels.h"

#include "../kernels/instructions.h"

#include "../kernels/instruct_quantize.h"
