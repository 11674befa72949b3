# SPDX-License-Identifier: Apache-2.0
"""What the backends that run in torch share: codes as tensors and back."""
import numpy
import torch

from mxcert_worker import Unsupported

# One answer for one input: not even the cut into threads may depend on how much is asked at once.
torch.set_num_threads(1)

WIDE = {"fp64": (torch.float64, "u8"), "fp32": (torch.float32, "u4"), "fp16": (torch.float16, "u2"),
        "bf16": (torch.bfloat16, "u2")}
_SIGNED = {"u8": "i8", "u4": "i4", "u2": "i2", "u1": "i1"}
_INTEGERS = {"u8": torch.int64, "u4": torch.int32, "u2": torch.int16, "u1": torch.uint8}


def tensor(codes, dtype, rows, columns):
    """Codes as a matrix of that type, to the bit."""
    return torch.from_numpy(codes.view(_SIGNED[codes.dtype.str[1:]])).view(dtype).reshape(rows, columns)


def rows_of_blocks(codes, source, shape, block=16):
    """The values of a source as a matrix whose rows are whole blocks."""
    rows, columns = shape[:2]
    if columns % block != 0:
        raise Unsupported("rows of whole blocks only")
    return tensor(codes, WIDE[source][0], rows, columns)


def nvfp4_operands(shape, elements, scales, *number):
    """Packed elements, scales and the number of a tensor in NVFP4, in blocks of 16 along rows."""
    rows, columns = shape[:2]
    if columns % 16 != 0:
        raise Unsupported("rows of whole blocks only")
    return (torch.from_numpy(elements).reshape(rows, columns // 2),
            tensor(scales, torch.float8_e4m3fn, rows, columns // 16),
            *(tensor(of_tensor, torch.float32, 1, 1).reshape(()) for of_tensor in number))


def codes_of(values, width):
    """The codes of a tensor, as the integers of that width."""
    return values.contiguous().view(_INTEGERS[width]).numpy().reshape(-1)


def unpacked(pairs):
    """Of two codes a byte, the first in the low four bits."""
    return numpy.stack((pairs & 15, pairs >> 4), axis=-1).reshape(-1)
