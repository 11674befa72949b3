# SPDX-License-Identifier: Apache-2.0
"""Functions of JAX, torch and Triton, of those that are here: before and after they have started threads."""
import importlib.util
import os
import sys
import unittest

if not any(map(importlib.util.find_spec, ("jax", "torch"))):
    raise unittest.SkipTest("neither jax nor torch: ./dev setup --peers, ./dev setup --torch")

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import framework_functions
import mxcert
from mxcert import _certify_process

CONVERSION = "e5m2-fp32-nearest_even-nosat"


def certify(function, **options):
    return mxcert.certify(function, CONVERSION, level="smoke", jobs=1, **options)


class Frameworks(unittest.TestCase):
    if importlib.util.find_spec("jax"):
        def test_jax(self):
            certify(framework_functions.widen_by_jax).assert_passed()
            self.assertIsNone(_certify_process.why_not_fork())
            import jax
            jax.numpy.ones(2) + 1  # starts threads
            self.assertIn("threads are running", _certify_process.why_not_fork())
            certify(framework_functions.widen_by_jax).assert_passed()
            with self.assertRaisesRegex(_certify_process.CannotRun, "a library has started"):
                certify(lambda x: framework_functions.widen_by_jax(x))

    if importlib.util.find_spec("torch"):
        def test_torch(self):
            for function in (framework_functions.widen_by_torch, lambda x: x.float().requires_grad_()):
                certify(function, arrays="torch", process="fork").assert_passed()
            report = certify(lambda x: x, arrays="torch", process="fork")
            self.assertEqual(report.names, ("WRONG_DTYPE",))
            self.assertIn("torch.float8_e5m2, not float32 or uint32", str(report))

    if importlib.util.find_spec("triton"):
        def test_triton(self):
            report = certify("framework_functions:widen_by_triton", arrays="torch")
            self.assertIn(report.names, ((), ("DECODE_SPECIALS",)), str(report))  # the interpreter of 3.9 reads Inf as a number
            self.assertGreater(report.rows[0].compared, 100)


if __name__ == "__main__":
    unittest.main()
