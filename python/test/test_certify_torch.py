# SPDX-License-Identifier: Apache-2.0
"""Functions of torch."""
import importlib.util
import os
import sys
import unittest

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("no torch here: ./dev setup --torch")

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import framework_functions


class Torch(unittest.TestCase):
    def test_what_a_function_gives(self):
        for function in (framework_functions.widen_by_torch, lambda x: x.float().requires_grad_()):
            framework_functions.certify(function, arrays="torch", process="fork").assert_passed()
        report = framework_functions.certify(lambda x: x, arrays="torch", process="fork")
        self.assertEqual(report.names, ("WRONG_DTYPE",))
        self.assertIn("torch.float8_e5m2, not float32 or uint32", str(report))


if __name__ == "__main__":
    unittest.main()
