// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp8.h>

#include "../kernels/kernels.h"

#include "../kernels/instructions.h"

#include "../kernels/instruct_quantize.h"

#include "../kernels/list.h"
#include "../kernels/tile.h"

#include "../kernels/tensor_cores.h"
