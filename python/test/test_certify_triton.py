# SPDX-License-Identifier: Apache-2.0
"""Functions of Triton, by its interpreter."""
import importlib.util
import os
import sys
import unittest

if importlib.util.find_spec("triton") is None:
    raise unittest.SkipTest("no triton here: ./dev setup --torch")

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import framework_functions


class Triton(unittest.TestCase):
    def test_what_a_kernel_gives(self):
        report = framework_functions.certify("framework_functions:widen_by_triton", arrays="torch")
        self.assertIn(report.names, ((), ("DECODE_SPECIALS",)), str(report))  # the interpreter of 3.9 reads Inf as a number
        self.assertGreater(report.rows[0].compared, 100)


if __name__ == "__main__":
    unittest.main()
