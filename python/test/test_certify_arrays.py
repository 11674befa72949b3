# SPDX-License-Identifier: Apache-2.0
"""Codes as arrays and back: types, shapes, values on a grid."""
import unittest

import numpy as np

try:
    import ml_dtypes
except ImportError:
    raise unittest.SkipTest("no ml_dtypes: ./dev setup --peers") from None

from mxcert import _certify, _child_operations, report
from mxcert._child_arrays import Grid, WrongResult, as_array, check_arrays, codes_of, reader_of, wide_values, writer_of


class Arrays(unittest.TestCase):
    def test_types_of_inputs(self):
        for name, arrays, dtype in (("fp32", "numpy", "float32"), ("amax_fp16", "numpy", "float16"), ("fp64", "codes", "float64"),
                                    ("bf16", "numpy", "bfloat16"), ("bf16", "codes", "uint16"), ("e4m3", "numpy", "float8_e4m3fn"),
                                    ("e8m0_for_e4m3", "numpy", "float8_e8m0fnu"), ("e5m2", "codes", "uint8"),
                                    ("ue4m3", "numpy", "uint8"), ("int8", "numpy", "int8")):
            with self.subTest(name=name, arrays=arrays):
                width = {"fp64": 8, "fp32": 4, "amax_fp16": 2, "bf16": 2}.get(name, 1)
                codes = np.arange(3, dtype=f"u{width}")
                self.assertEqual(as_array(codes, name, arrays).dtype.name, dtype)
                self.assertEqual(reader_of(name, arrays)(codes).dtype.name, dtype)

    def test_unknown_arrays(self):
        with self.assertRaisesRegex(ValueError, "there are 'numpy', 'codes', 'torch'"):
            check_arrays("list", ["fp32"])
        with self.assertRaisesRegex(ValueError, "torch has no type for e2m1"):
            check_arrays("torch", ["e2m1"])

    def test_results(self):
        values = np.array([1, 2, 3], np.float32)
        e4m3 = values.astype(ml_dtypes.float8_e4m3fn)
        for write in (lambda result, shape: codes_of(result, "e4m3", shape), writer_of("e4m3")):
            for right in (e4m3, e4m3.view(np.uint8), np.stack([e4m3, e4m3], axis=1)[:, 0]):
                np.testing.assert_array_equal(write(right, (3,)), [0x38, 0x40, 0x44])
            for wrong, name, text in ((e4m3[1:], "WRONG_SHAPE", r"the shape \(2,\), not \(3,\)"),
                                      (e4m3.reshape(3, 1), "WRONG_SHAPE", r"\(3, 1\)"), (values, "WRONG_DTYPE", "output='values'"),
                                      (e4m3.view(np.int8), "WRONG_DTYPE", "int8, not float8_e4m3fn or uint8"),
                                      (values.astype(ml_dtypes.float8_e5m2), "WRONG_DTYPE", "float8_e5m2"),
                                      (None, "WRONG_SHAPE", r"\(\)")):
                with self.assertRaisesRegex(WrongResult, text) as caught:
                    write(wrong, (3,))
                self.assertEqual(caught.exception.name, name)

    def test_values_need_numbers(self):
        self.assertEqual(wide_values(np.array([1.0, 2.0]), (2,)).dtype, np.float64)
        self.assertEqual(wide_values(np.array([1, 2], ml_dtypes.bfloat16), (2,)).dtype, np.float32)
        with self.assertRaisesRegex(WrongResult, "has the type int64: with output='values' it holds numbers"):
            wide_values(np.array([1, 2]), (2,))


class Grids(unittest.TestCase):
    def test_every_code_of_every_format(self):
        types = {"e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "e3m2": "float6_e3m2fn", "e2m3": "float6_e2m3fn",
                 "e2m1": "float4_e2m1fn", "e8m0": "float8_e8m0fnu", "e4m3fnuz": "float8_e4m3fnuz"}
        for name, dtype in types.items():
            with self.subTest(name):
                listed = _certify.grid_of(name)
                codes = np.arange(len(listed), dtype="u1")
                values = codes.view(getattr(ml_dtypes, dtype)).astype(np.float32)
                found = Grid(name, listed).find(values)
                nan = np.isnan(values)
                np.testing.assert_array_equal(found[~nan], codes[~nan])
                self.assertTrue(np.isnan(values[found[nan]]).all())
                self.assertTrue((np.signbit(values[found[nan]]) == np.signbit(values[nan])).all() or name == "e8m0")

    def test_what_is_off_the_grid(self):
        grid = Grid("e4m3", _certify.grid_of("e4m3"))
        for value, text in ((1.0625, "between 1 and 1.125"), (480, "beyond 448"), (2.0**-10, "between 0 and 0.001953125")):
            self.assertEqual(grid.find(np.array([value], np.float32))[0], -1)
            self.assertEqual(grid.neighbours(value), text)
        self.assertEqual(grid.find(np.array([1 + 2.0**-40]))[0], -1)  # rounding to binary32 must not bring it there
        self.assertEqual(grid.find(np.array([np.inf], np.float32))[0], -1)

    def test_the_missing_minus_zero(self):
        self.assertEqual(Grid("e4m3fnuz", _certify.grid_of("e4m3fnuz")).find(np.array([-0.0], np.float32))[0], 0)


class Scales(unittest.TestCase):
    def test_permitted_in_turn(self):
        table = [(0, 0, [0x77, 0x00]), (1, 9, [0x01]), (12, 20, [])]
        amaxes = np.array([0, 5, 10, 12, 99], "u4")
        np.testing.assert_array_equal(list(_child_operations.permitted_scales(table, amaxes)), [[0x77, 1, -1, -1, -1], [0, -1, -1, -1, -1]])

    def test_lines_in_blocks(self):
        matrix = np.arange(15).reshape(3, 5)
        for axis, count in (("row", 6), ("column", 5)):
            blocks, undo, undo_scales = _child_operations.in_blocks(matrix, {"axis": axis, "block": "3"}, 0)
            self.assertEqual(blocks.shape, (count, 3))
            np.testing.assert_array_equal(undo(blocks), matrix)
            self.assertEqual(undo_scales(np.arange(count)).shape, _child_operations.scales_shape(3, 5, {"axis": axis, "block": "3"}))


class Code(unittest.TestCase):
    def test_expressions_give_their_codes(self):
        for codes, name, shape in (([0x43E80003], "fp32", None), ([0, 0, 0, 0, 0, 1, 2, 2, 0, 0], "fp16", (2, 5)), ([7, 7, 7, 7, 1], "e4m3", None),
                                   ([1, 0, 0, 0, 0], "bf16", None), ([], "fp32", None)):
            for arrays in ("numpy", "codes"):
                text = report.array_code(codes, name, arrays, shape)
                array = eval(text, {"np": np, "ml_dtypes": ml_dtypes})  # pylint: disable=eval-used
                np.testing.assert_array_equal(array.reshape(-1).view(f"u{array.itemsize}"), codes)
                self.assertEqual(array.shape, shape or (len(codes),))

    def test_runs(self):
        self.assertEqual(report.list_code([0] * 31 + [1], 1), "[0x00] * 31 + [0x01]")
        self.assertEqual(report.list_code([1, 2, 2, 3], 1), "[0x01, 0x02, 0x02, 0x03]")


class Names(unittest.TestCase):
    def test_conversions(self):
        parts = _certify.conversion_of("fp32-e4m3-stochastic_a8-sat")
        self.assertEqual((parts["rounding"], parts["random_bits"]), ("stochastic_a", 8))
        self.assertEqual(_certify.conversion_of("amax_fp32-e8m0_for_e4m3-log_nearest2-sat")["rounding"], "log_nearest2")
        with self.assertRaisesRegex(ValueError, "has the form source-target-rounding-overflow"):
            _certify.conversion_of("fp32-e4m3")

    def test_profiles_of_rules(self):
        self.assertEqual(_certify.first_profile("fp32", "e4m3", "ocp_floor", "sat"), "ocp-sat")
        self.assertEqual(_certify.first_profile("fp32", "e4m3", "rceil", "sat"), "nvidia-te")
        with self.assertRaisesRegex(ValueError, "no profile judges quantizers"):
            _certify.first_profile("fp32", "e4m3", "nope", "sat")


if __name__ == "__main__":
    unittest.main()
