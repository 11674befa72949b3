# SPDX-License-Identifier: Apache-2.0
"""Functions of JAX: before and after it has started threads."""
import importlib.util
import os
import sys
import unittest

if importlib.util.find_spec("jax") is None:
    raise unittest.SkipTest("no jax here: ./dev setup --peers")

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import framework_functions
from mxcert import _certify_process


class Jax(unittest.TestCase):
    def test_before_and_after_threads(self):
        framework_functions.certify(framework_functions.widen_by_jax).assert_passed()
        self.assertIsNone(_certify_process.why_not_fork())
        import jax
        jax.numpy.ones(2) + 1  # starts threads
        self.assertIn("threads are running", _certify_process.why_not_fork())
        framework_functions.certify(framework_functions.widen_by_jax).assert_passed()
        with self.assertRaisesRegex(_certify_process.CannotRun, "a library has started"):
            framework_functions.certify(lambda x: framework_functions.widen_by_jax(x))


if __name__ == "__main__":
    unittest.main()
