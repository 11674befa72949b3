# SPDX-License-Identifier: Apache-2.0
"""The example of a quantizer that answers lines of blocks (docs/pipe.md)."""
import importlib.util
import os
import pathlib
import unittest
import unittest.mock

import numpy as np

import mxcert
from mxcert.worker import Unsupported

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "examples"


def example():
    spec = importlib.util.spec_from_file_location("blocks_by_lines", EXAMPLES / "blocks_by_lines.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class BlocksByLines(unittest.TestCase):
    def quantize(self, command, values):
        with unittest.mock.patch.dict(os.environ, MXCERT_BLOCKS=str(command)):
            return example().quantize((*values.shape, 0, 0), values.reshape(-1))

    def test_its_blocks_are_right_but_for_inf(self):
        values = np.random.default_rng(1).integers(0, 1 << 16, (6, 64), np.uint16)
        values[np.abs(values & 0x7FFF) >= 0x7F80] = 0
        values[0, 5], values[1, 40], values[5, 63] = 0x7FC0, 0x8000, 0xFF80  # NaN, -0, -Inf in the last block
        elements, scales = self.quantize(EXAMPLES / "block_emulator.py", values)
        right = mxcert.quantize(values, "mxfp8_e4m3", source="bf16")
        np.testing.assert_array_equal(scales[:-1], right.scales.reshape(-1)[:-1])
        np.testing.assert_array_equal(elements[:-1], right.elements.reshape(-1, 32)[:-1])
        self.assertEqual((scales[-1], right.scales[-1, -1]), (0xF7, 0xFE))

    def test_what_it_refuses(self):
        with self.assertRaisesRegex(ValueError, "0 lines for 2 blocks"):
            self.quantize("cat > /dev/null", np.zeros((2, 32), np.uint16))
        with self.assertRaises(Unsupported):
            self.quantize("cat", np.zeros((2, 33), np.uint16))


if __name__ == "__main__":
    unittest.main()
