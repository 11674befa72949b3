# SPDX-License-Identifier: Apache-2.0
"""Tensors of torch: in and out, without a copy."""
import unittest

import numpy as np

import mxcert
from mxcert import _arrays

try:
    import torch
except ImportError:  # it is no dependency
    torch = None


@unittest.skipIf(torch is None, "torch is not there")
class Tensors(unittest.TestCase):
    def test_they_are_read_where_they_lie(self):
        for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn):
            with self.subTest(dtype=dtype):
                x = torch.zeros(4, 6).to(dtype)
                codes = _arrays.codes_of(x, None)
                self.assertEqual(_arrays.in_rows(codes.array).ctypes.data, x.data_ptr())
        self.assertEqual(_arrays.codes_of(torch.zeros(2, dtype=torch.bfloat16), None).format, "bf16")

    def test_they_are_converted_as_arrays_are(self):
        x = torch.randn(8, 40, requires_grad=True)
        expected = mxcert.convert(x.detach().numpy(), "e4m3")
        np.testing.assert_array_equal(mxcert.convert(x, "e4m3"), expected)
        np.testing.assert_array_equal(mxcert.convert(x.t(), "e4m3"), expected.T)
        result = mxcert.convert(x, torch.float8_e4m3fn)
        self.assertEqual(result.dtype, torch.float8_e4m3fn)
        np.testing.assert_array_equal(result.view(torch.uint8).numpy(), expected)
        out = torch.empty(8, 40, dtype=torch.bfloat16)
        self.assertIs(mxcert.convert(x, "bf16", out=out), out)
        self.assertTrue(torch.equal(out, x.detach().to(torch.bfloat16)))
        np.testing.assert_array_equal(mxcert.decode(result), result.to(torch.float32).numpy())

    def test_they_are_quantized_and_back(self):
        x = torch.randn(4, 64, dtype=torch.bfloat16)
        quantized = mxcert.quantize(x, "mxfp8_e4m3", rule="rceil")
        back = quantized.dequantize(torch.bfloat16)
        self.assertLess((back - x).abs().max(), 0.3)
        elements = torch.from_numpy(quantized.elements).view(torch.float8_e4m3fn)
        again = mxcert.dequantize(elements, torch.from_numpy(quantized.scales), "mxfp8_e4m3", to=torch.bfloat16)
        self.assertTrue(torch.equal(again, back))

    def test_wrong_ones_are_named(self):
        for tensor, part in [(torch.zeros(2, device="meta"), "is on meta"), (torch.zeros(2, dtype=torch.complex64), "complex64"),
                             (torch.zeros(2, dtype=torch.int32), "source="), (torch.eye(2).to_sparse(), "dense")]:
            with self.subTest(part=part), self.assertRaises(ValueError) as raised:
                mxcert.convert(tensor, "e4m3")
            self.assertIn(part, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
