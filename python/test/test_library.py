# SPDX-License-Identifier: Apache-2.0
"""The Python package on arrays: values, shapes, memory, and what it says of wrong arguments."""
import doctest
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np

import mxcert
from mxcert import _blocks, _convert, _library, _program, _progress
from mxcert._parameters import in_python

try:
    import ml_dtypes
except ImportError:  # it is no dependency
    ml_dtypes = None


def floats(*shape):
    random = np.random.default_rng(1)
    return (random.standard_normal(shape) * 2.0 ** random.integers(-12, 12, shape)).astype(np.float32)


class Convert(unittest.TestCase):
    def test_it_rounds_once_from_each_format(self):
        x = [464.0001, -0.3, 1e9, float("inf")]
        self.assertEqual(mxcert.convert(x, "e4m3").tolist(), [126, 170, 126, 126])
        self.assertEqual(mxcert.convert(x, "e4m3", overflow="nosat").tolist(), [127, 170, 127, 127])
        # Just above the tie of 1 and 1.125: in FP32 it is the tie.
        self.assertEqual(mxcert.convert(np.array([1.0625 + 2.0**-40]), "e4m3").tolist(), [0x39])
        self.assertEqual(mxcert.convert(np.array([1.0625 + 2.0**-40], np.float32), "e4m3").tolist(), [0x38])
        self.assertEqual(mxcert.convert([1, 2, 3], "e4m3").tolist(), [0x38, 0x40, 0x44])

    def test_shapes_strides_and_byte_orders_are_kept(self):
        x = floats(6, 10)
        codes = mxcert.convert(x, "e5m2")
        self.assertEqual(codes.shape, (6, 10))
        np.testing.assert_array_equal(mxcert.convert(x.T, "e5m2"), codes.T)
        np.testing.assert_array_equal(mxcert.convert(x[::2, ::-3], "e5m2"), codes[::2, ::-3])
        np.testing.assert_array_equal(mxcert.convert(x.astype(">f4"), "e5m2"), codes)
        self.assertEqual(mxcert.convert(np.float32(1), "e5m2").shape, ())
        self.assertEqual(mxcert.convert(np.zeros((0, 3), np.float32), "e5m2").shape, (0, 3))

    def test_out_is_filled_and_returned(self):
        x, out = floats(3, 5), np.empty((3, 5), np.uint8)
        self.assertIs(mxcert.convert(x, "e4m3", out=out), out)
        np.testing.assert_array_equal(out, mxcert.convert(x, "e4m3"))

    def test_decoding_gives_every_value(self):
        codes = np.arange(256, dtype=np.uint8)
        values = mxcert.decode(codes, "e4m3")
        self.assertEqual(values.dtype, np.float32)
        self.assertTrue(np.isnan(values[[0x7F, 0xFF]]).all())
        np.testing.assert_array_equal(mxcert.convert(values, "e4m3")[:255], codes[:255])
        self.assertEqual(mxcert.decode(np.uint8(254), "e8m0"), 2.0**127)
        self.assertEqual(mxcert.decode(np.uint8(254), "e8m0", to="fp16"), np.inf)
        self.assertEqual(mxcert.decode(np.uint8(0x7C), "e5m2", to="bf16"), 0x7F80)

    def test_a_stochastic_rounding_reads_its_bits(self):
        x = np.full(256, 1.03, np.float32)
        codes = mxcert.convert(x, "e4m3", rounding="stochastic_a", random=np.arange(256), random_bits=8)
        self.assertEqual(set(codes.tolist()), {0x38, 0x39})
        self.assertEqual(sorted(codes.tolist()), codes.tolist())

    @unittest.skipIf(ml_dtypes is None, "ml_dtypes is not there")
    def test_ml_dtypes_come_in_and_go_out(self):
        x = floats(64)
        codes = mxcert.convert(x, ml_dtypes.float8_e4m3fn, overflow="nosat")
        self.assertEqual(codes.dtype, ml_dtypes.float8_e4m3fn)
        np.testing.assert_array_equal(codes.view(np.uint8), x.astype(ml_dtypes.float8_e4m3fn).view(np.uint8))
        bf16 = x.astype(ml_dtypes.bfloat16)
        np.testing.assert_array_equal(mxcert.convert(x, ml_dtypes.bfloat16), bf16)
        np.testing.assert_array_equal(mxcert.convert(bf16, "fp32"), bf16.astype(np.float32))
        np.testing.assert_array_equal(mxcert.decode(x.astype(ml_dtypes.float8_e5m2)),
                                      x.astype(ml_dtypes.float8_e5m2).astype(np.float32))
        out = np.empty(64, ml_dtypes.float8_e5m2)
        self.assertIs(mxcert.convert(x, "e5m2", out=out), out)
        np.testing.assert_array_equal(out.view(np.uint8), mxcert.convert(x, "e5m2"))

    def test_dlpack_alone_is_enough(self):
        class Foreign:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **given):
                return self.array.__dlpack__(**given)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        x = floats(7)
        np.testing.assert_array_equal(mxcert.convert(Foreign(x), "e4m3"), mxcert.convert(x, "e4m3"))

    def test_wrong_arguments_are_named(self):
        x = floats(4)
        wrong = [
            (lambda: mxcert.convert(x, "e4m4"), "e4m4"),
            (lambda: mxcert.convert(x, "mxfp8_e4m3"), "mxfp8_e4m3"),
            (lambda: mxcert.convert(x, "e4m3", rounding="nearst_even"), "did you mean nearest_even"),
            (lambda: mxcert.convert(x, "e4m3", rounding="up down"), "no spaces"),
            (lambda: mxcert.convert(x, "e4m3", rounding="stochastic_a"), "random bits"),
            (lambda: mxcert.convert(x, "e4m3", rounding="stochastic_a", random=[1], random_bits=8), "random has the shape"),
            (lambda: mxcert.convert(x.astype(complex), "e4m3"), "complex128"),
            (lambda: mxcert.convert(np.zeros(3, np.uint8), "fp32"), "source='e4m3'"),
            (lambda: mxcert.convert(np.zeros(3, np.uint8), "fp32", source="bf16"), "2 bytes"),
            (lambda: mxcert.convert(np.array([16], np.uint8), "fp32", source="e2m1"), "0x10"),
            (lambda: mxcert.convert(x, "e4m3", out=np.empty(5, np.uint8)), "shape (5,)"),
            (lambda: mxcert.convert(x, "e4m3", out=np.empty(4, np.uint16)), "2 bytes"),
            (lambda: mxcert.convert(x, "e4m3", out=np.empty(8, np.uint8)[::2]), "rows"),
            (lambda: mxcert.convert(x, "fp32", out=x), "same memory"),
            (lambda: mxcert.convert(x, np.int32), "int32"),
            (lambda: mxcert.convert(["a"], "e4m3"), "dtype"),
        ]
        for call, part in wrong:
            with self.subTest(part=part), self.assertRaisesRegex(ValueError, "") as raised:
                call()
            self.assertIn(part, str(raised.exception))


class Parameters(unittest.TestCase):
    def test_errors_name_parameters_of_python(self):
        x = np.ones((2, 64), np.float32)
        nvfp4 = mxcert.quantize(x, "nvfp4", recipe="te_nvfp4")
        for call, part in (
                (lambda: mxcert.quantize(x, "nvfp4"), "needs a recipe"),
                (lambda: mxcert.quantize(x, "nvfp4", recipe="te_nvfp4", tensor_amax=-1), "tensor_amax '-1'"),
                (lambda: mxcert.quantize(x, "mxfp8_e4m3", amax_nan="lost"), "unknown amax_nan"),
                (lambda: mxcert.matmul(nvfp4, nvfp4, transpose="nt", accumulator="fp32_fma"), "epilogue says"),
                (lambda: mxcert.matmul(nvfp4, nvfp4), "transpose says"),
                (lambda: mxcert.explain(1.0, rounding="stochastic_a"), "random R/n")):
            with self.subTest(part=part), self.assertRaises(ValueError) as raised:
                call()
            self.assertIn(part, str(raised.exception))
            self.assertNotIn("--", str(raised.exception))

    def test_commands_stay_as_they_are(self):
        text = "unknown format; `mxcert formats --scaled` lists them (mxcert selftest --level smoke): --scale-choice"
        self.assertEqual(in_python(text), text.replace("--scale-choice", "scale_choices"))


class Progress(unittest.TestCase):
    def setUp(self):
        self.told = []

    def tell(self, done, total):
        self.told.append((done, total))

    def test_pieces_give_the_same(self):
        x = floats(7, 70)
        with unittest.mock.patch.multiple(_convert, _PIECE=100), unittest.mock.patch.multiple(_blocks, _PIECE=150):
            np.testing.assert_array_equal(mxcert.convert(x, "e4m3", progress=self.tell), mxcert.convert(x, "e4m3"))
            self.assertEqual(self.told, [(at, 490) for at in (0, 100, 200, 300, 400, 490)])
            self.told.clear()
            for axis in (-1, 0):
                whole = mxcert.quantize(x, "mxfp8_e4m3", rule="rceil", axis=axis)
                parts = mxcert.quantize(x, "mxfp8_e4m3", rule="rceil", axis=axis, progress=self.tell)
                np.testing.assert_array_equal(parts.elements, whole.elements)
                np.testing.assert_array_equal(parts.scales, whole.scales)
            self.assertEqual(self.told, [(at, 7) for at in (0, 2, 4, 6, 7, 7)])
            self.told.clear()
            bits = np.arange(490, dtype=np.uint32).reshape(7, 70) % 256
            drawn = {"rounding": "stochastic_a", "random": bits, "random_bits": 8}
            np.testing.assert_array_equal(mxcert.convert(x, "e4m3", progress=self.tell, **drawn), mxcert.convert(x, "e4m3", **drawn))
        self.assertEqual(mxcert.convert(np.float32(1), "e4m3", progress=self.tell), 0x38)
        self.assertEqual(mxcert.quantize(np.float32([1]), "mxfp8_e4m3", progress=self.tell).elements.shape, (1,))

    def test_a_line(self):
        line = _progress.teller(True, "convert")
        with unittest.mock.patch.object(sys, "stderr", io.StringIO()) as errors:
            line(0, 10)
            line.began -= 60
            line(5, 10)
            line(10, 10)
        self.assertRegex(errors.getvalue(), r"^convert:  50 %, 60 s\nconvert: 100 %, 60 s\n$")


class Blocks(unittest.TestCase):
    def test_blocks_lie_along_any_axis(self):
        x = floats(3, 40, 5, 70)
        for axis in range(-4, 4):
            with self.subTest(axis=axis):
                quantized = mxcert.quantize(x, "mxfp8_e4m3", rule="rceil", axis=axis)
                turned = mxcert.quantize(np.moveaxis(x, axis, -1), "mxfp8_e4m3", rule="rceil")
                np.testing.assert_array_equal(np.moveaxis(quantized.elements, axis, -1), turned.elements)
                np.testing.assert_array_equal(np.moveaxis(quantized.scales, axis, -1), turned.scales)
                np.testing.assert_array_equal(np.moveaxis(quantized.dequantize(), axis, -1), turned.dequantize())
                bare = mxcert.dequantize(*quantized, "mxfp8_e4m3", axis=axis)
                np.testing.assert_array_equal(bare, quantized.dequantize())

    def test_every_format_is_near_its_values(self):
        x = np.linspace(-3, 3, 64, dtype=np.float32).reshape(2, 32)
        for name, error in [("mxfp8_e4m3", 0.13), ("mxfp8_e5m2", 0.26), ("mxfp6_e3m2", 0.26), ("mxfp6_e2m3", 0.13),
                            ("mxfp4", 0.51), ("mxint8", 0.02), ("nvfp4", 0.51)]:
            with self.subTest(format=name):
                recipe = {"recipe": "te_nvfp4"} if name == "nvfp4" else {"rule": "rceil"}
                quantized = mxcert.quantize(x, name, **recipe)
                self.assertLess(np.abs(quantized.dequantize() - x).max(), error)
                if "8" not in name:
                    packed = mxcert.quantize(x, name, packing="low_first", **recipe)
                    bits = {"e2m1": 4, "e3m2": 6, "e2m3": 6}[packed.element_format]
                    self.assertEqual(packed.elements.shape, (2, 4 * bits))
                    np.testing.assert_array_equal(packed.dequantize(), quantized.dequantize())

    def test_the_scales_of_nvfp4_are_kept(self):
        quantized = mxcert.quantize(floats(32, 32), "nvfp4", recipe="te_nvfp4")
        bare = mxcert.dequantize(*quantized, "nvfp4", tensor_scale=quantized.tensor_scale)
        np.testing.assert_array_equal(bare, quantized.dequantize())
        self.assertEqual(mxcert.quantize(floats(32, 32), "nvfp4", recipe="te_nvfp4", tensor_amax=6).tensor_amax, 6)

    def test_a_product_is_that_of_the_values(self):
        a, b = floats(4, 64), floats(64, 3)
        left = mxcert.quantize(a, "mxfp8_e4m3")
        right = mxcert.quantize(b, "mxfp8_e5m2", axis=0)
        exact = left.dequantize("fp64") @ right.dequantize("fp64")
        product = mxcert.matmul(left, right, to="fp64")
        np.testing.assert_allclose(product, exact, rtol=1e-12, atol=1e-300)
        turned = mxcert.quantize(np.ascontiguousarray(b.T), "mxfp8_e5m2")
        np.testing.assert_array_equal(mxcert.matmul(left, turned, transpose="nt", to="fp64"), product)
        added = mxcert.matmul(left, right, np.ones((4, 3), np.float32), accumulator="fp32_fma")
        self.assertEqual(added.dtype, np.float32)
        plain = mxcert.matmul(mxcert.convert(a, "e4m3"), mxcert.convert(b, "e4m3"), source="e4m3", to="fp64")
        self.assertEqual(plain.shape, (4, 3))

    def test_wrong_arguments_are_named(self):
        x = floats(4, 64)
        quantized = mxcert.quantize(x, "mxfp8_e4m3")
        wrong = [
            (lambda: mxcert.quantize(x, "mxfp8_e4m4"), "mxfp8_e4m4"),
            (lambda: mxcert.quantize(x.astype(np.float64), "mxfp8_e4m3"), "fp64"),
            (lambda: mxcert.quantize(x, "mxfp8_e4m3", axis=2), "axis 2 of an array with 2 axes"),
            (lambda: mxcert.quantize(x, "mxfp8_e4m3", rule="ceiling"), "ceiling"),
            (lambda: mxcert.quantize(x[:0], "mxfp8_e4m3"), "0"),
            (lambda: mxcert.quantize(x, "nvfp4"), "te_nvfp4"),
            (lambda: mxcert.quantize(floats(2, 2, 2), "mxfp4", axis=0, packing="low_first"), "last two axes"),
            (lambda: mxcert.dequantize(quantized.elements, quantized.scales), "their format"),
            (lambda: mxcert.dequantize(quantized.elements, quantized.scales.T, "mxfp8_e4m3"), "the scales have the shape (2, 4)"),
            (lambda: mxcert.dequantize(x, quantized.scales, "mxfp8_e4m3"), "one byte"),
            (lambda: mxcert.matmul(quantized, quantized), "transpose says"),
            (lambda: mxcert.matmul(x[0], quantized), "1 axes"),
            (lambda: mxcert.matmul(quantized, x.T.copy()), "one operand has scales"),
        ]
        for call, part in wrong:
            with self.subTest(part=part), self.assertRaises(ValueError) as raised:
                call()
            self.assertIn(part, str(raised.exception))


class LookUp(unittest.TestCase):
    def test_an_explanation_names_code_and_clauses(self):
        explanation = mxcert.explain(464.0001, "e4m3")
        self.assertEqual(explanation["result"]["code"], "0x7E")
        self.assertIn("OFP8-OVERFLOW-SAT", str(explanation))
        self.assertEqual(mxcert.explain(np.float32(1e-7), "e5m2")["result"]["code"], "0x00")
        self.assertEqual(mxcert.explain("-inf", "e5m2", overflow="nosat")["result"]["code"], "0xFC")
        self.assertEqual(len(mxcert.explain([3, -0.4, 500], rule="rceil")["elements"]), 3)
        for value, part in [("1 2", "no number"), (None, "no number"), ("x", "x"), ([[1, 2]], "no number")]:
            with self.subTest(value=value), self.assertRaises(ValueError) as raised:
                mxcert.explain(value)
            self.assertIn(part, str(raised.exception))

    def test_a_step_table_has_the_answer_of_every_input(self):
        table = mxcert.step_table("fp16-e4m3", overflow="nosat")
        self.assertEqual((table.first[0], table.last[-1]), (0, 0xFFFF))
        np.testing.assert_array_equal(table.first[1:], table.last[:-1] + 1)
        inputs = np.arange(1 << 16, dtype=np.uint16)
        codes = mxcert.convert(inputs.view(np.float16), "e4m3", overflow="nosat")
        rows = np.searchsorted(table.first, inputs, side="right") - 1
        permitted = [codes[i] in table.codes[row] or (table.any_nan[row] and codes[i] & 0x7F == 0x7F)
                     for i, row in enumerate(rows)]
        self.assertTrue(all(permitted))
        with self.assertRaisesRegex(ValueError, "does not judge"):
            mxcert.step_table("fp16-e4m3", profile="ocp-nosat")

    def test_bugs_have_causes(self):
        self.assertGreater(len(mxcert.bugs()), 50)
        self.assertTrue(all(bug.id and bug.says and bug.cause for bug in mxcert.bugs()))


class Package(unittest.TestCase):
    def test_the_examples_of_the_docstrings_hold(self):
        from mxcert import _blocks, _convert, _look_up, _matmul
        tried = 0
        for module in (_blocks, _convert, _look_up, _matmul):
            result = doctest.testmod(module, extraglobs={"mxcert": mxcert, "np": np})
            self.assertEqual(result.failed, 0)
            tried += result.attempted
        self.assertGreater(tried, 8)

    def test_every_name_is_there_and_documented(self):
        for name in mxcert.__all__:
            self.assertTrue(name == "__version__" or getattr(mxcert, name).__doc__, name)
        self.assertLessEqual(set(mxcert.__all__), set(dir(mxcert)))
        with self.assertRaises(AttributeError):
            mxcert.nothing

    def test_it_has_the_version_of_the_library(self):
        library = _library._library()
        library.mxcert_library_version.restype = _library._text
        self.assertEqual(library.mxcert_library_version().decode(), mxcert.__version__)

    def test_importing_it_imports_nothing_large(self):
        done = subprocess.run([sys.executable, "-c", "import mxcert, sys; print('numpy' in sys.modules)"], check=True, text=True,
                              capture_output=True)
        self.assertEqual(done.stdout, "False\n")

    def test_without_its_library_it_says_what_to_do(self):
        for path, part in [("/nowhere/libmxcert.so", "MXCERT_LIBRARY names it"), (__file__, "cannot be loaded")]:
            done = subprocess.run([sys.executable, "-c", "import mxcert; mxcert.bugs()"], check=False, text=True,
                                  capture_output=True, env=dict(os.environ, MXCERT_LIBRARY=path))
            self.assertIn(part, done.stderr)

    def test_it_becomes_the_program(self):
        self.assertEqual(mxcert.program(), os.environ["MXCERT_PROGRAM"])
        done = subprocess.run([sys.executable, "-m", "mxcert", "bugs", "NO_SUCH_BUG"], check=False, text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("NO_SUCH_BUG", done.stderr)

    @unittest.skipIf(_program._INSTALLED.exists(), "an installed package takes its own program")
    def test_the_program_is_looked_for_on_the_path_and_not_in_a_script(self):
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            script = pathlib.Path(first, "mxcert")
            script.write_text("#!/bin/sh\n", encoding="utf-8")
            script.chmod(0o755)
            pathlib.Path(second, "mxcert").symlink_to(os.environ["MXCERT_PROGRAM"])
            for folders, expected in [([first, second], f"{second}/mxcert\n"), ([first], "")]:
                environment = dict(os.environ, PATH=os.pathsep.join(folders))
                del environment["MXCERT_PROGRAM"]
                done = subprocess.run([sys.executable, "-c", "import mxcert; print(mxcert.program())"], check=False, text=True,
                                      capture_output=True, env=environment)
                self.assertEqual(done.stdout, expected)
            self.assertIn("set MXCERT_PROGRAM", done.stderr)


if __name__ == "__main__":
    unittest.main()
