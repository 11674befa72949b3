# SPDX-License-Identifier: Apache-2.0
"""Functions certified by the program: verdicts, failures of each kind, and how a function gets into a process of its own."""
import contextlib
import ctypes
import functools
import io
import os
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import unittest.mock

import numpy as np

try:
    import ml_dtypes
except ImportError:
    raise unittest.SkipTest("no ml_dtypes: ./dev setup --peers") from None

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mxcert
import support
from mxcert import _child_server

certify = functools.partial(mxcert.certify, level="smoke")
certify_quantizer = functools.partial(mxcert.certify_quantizer, tails=False, level="smoke")
# Few inputs, so that a run takes a tenth of a second.
E5M2 = "e5m2-fp32-nearest_even-nosat"
E2M1 = "e2m1-fp32-nearest_even-nosat"
AT = 0x05  # the input at which something happens


def at(code, action):
    """A right conversion that does something where a batch has an input."""
    def run(x):
        if (x.view(np.uint8) == code).any():
            action()
        return support.widen(x)
    return run


def hang():
    time.sleep(3600)


def pasted(finding, **names):
    """The last value of a finding's code."""
    *first, last = finding.code.splitlines()
    scope = {"np": np, "ml_dtypes": ml_dtypes, **names}
    exec("\n".join(first), scope)  # pylint: disable=exec-used
    return eval(last.partition("#")[0], scope)  # pylint: disable=eval-used


class Verdicts(unittest.TestCase):
    def test_passed(self):
        report = certify(support.widen, E5M2, level="quick")
        self.assertTrue(report.passed and report and report.complete)
        self.assertEqual([(row.id, row.status, row.compared, row.complete) for row in report.rows], [(E5M2, "PASS", 256, True)])
        self.assertEqual((report.findings, report.names), ((), ()))
        self.assertIn(f"PASS {E5M2}", str(report))
        report.assert_passed()

    def test_a_named_bug_with_code_to_paste(self):
        report = certify(support.ties_away, "fp16-e4m3-nearest_even-sat")
        self.assertFalse(report.passed or report.complete)
        self.assertEqual(report.names, ("TIES_AWAY",), str(report))
        answer = pasted(report.findings[0], ties_away=support.ties_away).view(np.uint8)
        self.assertIn(f"# 0x{answer[0]:02X}, permitted: 0x", report.findings[0].code)
        with self.assertRaisesRegex(AssertionError, r"cause: TIES_AWAY\n.*rounding=nearest_away explains"):
            report.assert_passed()
        self.assertRegex(report._repr_html_(), "FAIL.*TIES_AWAY")

    def test_answers_that_change(self):
        calls = iter(range(10**9))
        report = certify(lambda x: support.widen(x) * (1 if next(calls) % 3 else 0.5), E5M2, level="quick", jobs=1)
        self.assertFalse(report.passed)
        self.assertIn("answers changed when asked again", str(report))

    def test_what_works(self):
        def writes_to_its_input(x):
            result = support.widen(x)
            x.view(np.uint8)[:] = 0
            return result

        def not_contiguous(x):
            return np.stack([support.widen(x), np.zeros(len(x), np.float32)], axis=1)[:, 0]

        def prints(x):
            print("not into the frames")
            return support.widen(x)

        for function in (writes_to_its_input, not_contiguous, prints, lambda x: support.widen(x).view(np.uint32)):
            with self.subTest(function.__name__):
                certify(function, E2M1).assert_passed()

    def test_progress(self):
        told = []
        certify(support.widen, E5M2, level="quick", progress=lambda *numbers: told.append(numbers)).assert_passed()
        self.assertEqual(told[-1], (256, 256))
        self.assertTrue(all(done <= total == 256 for done, total in told), told)

        def stop(_done, _total):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            certify(support.widen, E5M2, level="quick", progress=stop)
        with self.assertRaisesRegex(TypeError, "progress=3"):
            certify(support.widen, E5M2, progress=3)

    def test_values(self):
        def fake(x):
            return support.cast(np.clip(x, -448, 448)).astype(np.float32)

        certify(fake, "fp16-e4m3-nearest_even-sat", output="values").assert_passed()
        report = certify(lambda x: np.where(x == 1.0625, x, fake(x)), "fp16-e4m3-nearest_even-sat", output="values")
        self.assertEqual(report.names, ("OFF_GRID",))
        self.assertIn("between 1 and 1.125", str(report))
        self.assertIn("x = np.array([0x3C40], np.uint16).view(np.float16)", report.findings[0].code)

    def test_given_scales(self):
        def scaled(values, scale):
            return (values.astype(np.float64) * (np.nan if scale == 255 else 2.0**(scale - 127))).astype(np.float32)

        report = certify(scaled, "e2m1_times_e8m0-fp32-nearest_even-nosat", level="quick", profile="ocp-sat")
        self.assertEqual((report.passed, report.complete, report.rows[0].compared), (True, True, 4096), str(report))

    def test_quantizers(self):
        report = certify_quantizer(support.quantize, "mxfp8_e4m3")
        report.assert_passed()
        self.assertEqual([row.part for row in report.rows], ["scale", "elements", "blocks"])
        certify_quantizer(support.emulate, "mxfp8_e4m3", output="values").assert_passed()
        report = certify_quantizer(lambda x: [part.T for part in support.quantize(np.ascontiguousarray(x.T))], "mxfp8_e4m3",
                                          axis=0)
        report.assert_passed()

    def test_a_quantizer_with_a_named_bug(self):
        report = certify_quantizer(support.quantize_by_log2, "mxfp8_e4m3")
        self.assertEqual(report.names, ("LOG2_OFF_BY_ONE",), str(report))
        elements, scales = pasted(report.findings[0], quantize_by_log2=support.quantize_by_log2)
        self.assertEqual((elements.shape, scales.shape), ((1, 32), (1, 1)))
        self.assertIn(f"scale 0x{scales[0, 0]:02X}, permitted", report.findings[0].code)

    def test_a_quantizer_that_cannot_do_tails(self):
        report = certify_quantizer(support.quantize, "mxfp8_e4m3", tails=True)
        self.assertEqual(report.names, ("EXCEPTION",))
        self.assertIn("certified with tails=False", str(report))
        with self.assertRaisesRegex(ValueError, "cannot reshape"):
            pasted(report.findings[0], quantize=support.quantize)

    def test_dequantizers(self):
        mxcert.certify_dequantizer(support.dequantize, "mxfp8_e4m3", level="smoke").assert_passed()

    def test_other_operations(self):
        report = mxcert.certify_operation(lambda shape, *inputs: [np.zeros(shape[0] * shape[1], np.uint32)], "matmul", {
            "a": "e4m3", "b": "e4m3", "scale": "none", "block_a": "none", "block_b": "none", "transpose": "nn", "c": "none",
            "output": "fp32", "accumulator": "exact", "order": "given"}, profile="products", level="smoke")
        self.assertFalse(report.passed)
        self.assertTrue(all(row.id.startswith("matmul-") for row in report.rows))


class Failures(unittest.TestCase):
    def finding(self, function, name, conversion=E2M1, **options):
        report = certify(function, conversion, **options)
        self.assertEqual((report.passed, report.names), (False, (name,)), str(report))
        self.assertEqual(report.rows[0].status, "ERROR")
        return report.findings[0]

    def test_exception(self):
        finding = self.finding(support.raises, "EXCEPTION", E5M2)
        self.assertRegex(finding.text, r'^Traceback .*\n  File ".*support.py", line \d+, in raises\n')
        self.assertTrue(finding.text.endswith("ValueError: no NaN here"))
        self.assertNotIn("another exception", finding.text)
        with self.assertRaises(ValueError):
            pasted(finding, raises=support.raises)

    def test_abort(self):
        finding = self.finding(at(AT, os.abort), "CRASH")
        self.assertRegex(finding.text, r"(?s)signal 6 \(SIGABRT\).*test_certify.py\", line \d+ in run$")
        self.assertIn("np.array([0x05], np.uint8)", finding.code)

    def test_segmentation_fault(self):
        finding = self.finding(at(AT, lambda: ctypes.string_at(0)), "CRASH")
        self.assertRegex(finding.text, r"(?s)signal 11 \(SIGSEGV\).*test_certify.py\", line \d+ in run$")

    def test_exit(self):
        self.assertIn("exit 3", self.finding(at(AT, lambda: sys.exit(3)), "CRASH").text)

    def test_timeout(self):
        finding = self.finding(at(AT, hang), "TIMEOUT", timeout=0.5)
        self.assertIn("np.array([0x05], np.uint8)", finding.code)

    def test_memory(self):
        # It is ended at its start or, where the watcher comes late, in its first call: by then it hangs.
        with unittest.mock.patch.object(_child_server, "half_of_memory", lambda: 0):
            try:
                text = str(certify(lambda x: hang(), E2M1))
            except mxcert.CannotRun as error:
                text = str(error)
        self.assertRegex(text, r"(?s)signal 9 \(SIGKILL\).*took more than half of the machine's memory")

    def test_memory_limit(self):
        # What stands for a forked worker takes less.
        for process in ("fork", "import"):
            with self.subTest(process):
                try:
                    text = str(certify(hang, E2M1, memory_limit=20, process=process))
                except mxcert.CannotRun as error:
                    text = str(error)
                self.assertRegex(text, r"20 MiB \(memory_limit\)")

    def test_shape_and_type(self):
        self.assertIn("shape (0,), not (1,)", self.finding(lambda x: support.widen(x)[1:], "WRONG_SHAPE").text)
        self.assertIn("float64, not float32 or uint32", self.finding(lambda x: x.astype(np.float64), "WRONG_DTYPE").text)

    def test_refused(self):
        def refuse(x):
            raise NotImplementedError("no such device")

        report = certify(refuse, E2M1)
        self.assertEqual((report.passed, report.rows[0].status), (False, "UNSUPPORTED"))
        self.assertIn("no such device", str(report))

    def test_names_that_there_are_not(self):
        for conversion, options, text in (("fp32-e4m9-nearest_even-sat", {}, "unknown format 'e4m9'; did you mean e4m3"),
                                          (E2M1, {"profile": "ocpsat"}, "unknown profile 'ocpsat'; did you mean ocp-sat"),
                                          ("fp16-e4m3-nearest_even-nosat", {"profile": "ocp-sat"}, "ocp-sat does not judge fp16-e4m3"),
                                          (E2M1, {"level": "fast"}, "level='fast': there are 'smoke'"),
                                          (E2M1, {"output": "text"}, "output='text': there are 'codes', 'values'"),
                                          (E2M1, {"process": "thread"}, "process='thread': there are 'auto', 'fork', 'import'")):
            with self.subTest(text), self.assertRaisesRegex(ValueError, text):
                certify(support.widen, conversion, **options)
        with self.assertRaisesRegex(ValueError, "unknown format of blocks 'mxfp9'; there are mxfp8_e4m3"):
            certify_quantizer(support.quantize, "mxfp9")
        with self.assertRaisesRegex(ValueError, "the scales of nvfp4 are in"):
            certify_quantizer(support.quantize, "nvfp4")
        with self.assertRaisesRegex(TypeError, "neither a function nor the name of one"):
            certify(7, E2M1)


@contextlib.contextmanager
def thread():
    """A thread that runs as long as the context lasts."""
    done = threading.Event()
    running = threading.Thread(target=done.wait)
    running.start()
    try:
        yield
    finally:
        done.set()
        running.join()


@contextlib.contextmanager
def module(text):
    """The path of a file with this source."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "subject.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        yield path


class Processes(unittest.TestCase):
    def test_by_name(self):
        file = os.path.join(os.path.dirname(os.path.abspath(__file__)), "support.py")
        for function, options in (("support:widen", {}), (f"{file}:widen", {}), (support.widen, {"process": "import"})):
            report = certify(function, E2M1, jobs=1, **options)
            report.assert_passed()
            self.assertEqual(report.json["backend"]["name"], "support.widen")

    def test_with_threads(self):
        with thread():
            certify(support.widen, E2M1, jobs=1).assert_passed()
            with self.assertRaisesRegex(mxcert.CannotRun, r"threads are running \(MainThread, .*a lambda.*top level"):
                certify(lambda x: x, E2M1)
            certify(lambda x: support.widen(x), E2M1, process="fork").assert_passed()

    def test_with_cuda(self):
        class Torch:
            class cuda:
                is_initialized = staticmethod(lambda: True)

        before = sys.modules.get("torch")
        sys.modules["torch"] = Torch
        try:
            with self.assertRaisesRegex(mxcert.CannotRun, "CUDA has been initialised, so this one cannot be forked"):
                certify(lambda x: x, E2M1)
        finally:
            del sys.modules["torch"]
            if before is not None:
                sys.modules["torch"] = before

    def test_what_cannot_be_imported(self):
        def inner(x):
            return x

        for function, text in ((lambda x: x, "it is a lambda"), (inner, "defined inside another function"),
                               (io.StringIO().write, "something else|without a name")):
            with self.subTest(text), self.assertRaisesRegex(mxcert.CannotRun, text):
                certify(function, E2M1, process="import")
        with self.assertRaisesRegex(ValueError, "is not of the form 'package.module:function'"):
            certify("support.widen", E2M1)
        with self.assertRaisesRegex(ValueError, "there is no file 'gone.py'"):
            certify("gone.py:widen", E2M1)
        with self.assertRaisesRegex(mxcert.CannotRun, "module 'support' has no attribute 'narrow'"):
            certify("support:narrow", E2M1)

    def test_a_module_that_cannot_be_imported(self):
        with module("import numpy\n1 / 0\n") as path, self.assertRaisesRegex(mxcert.CannotRun, r'subject.py", line 2(?s:.)*by zero'):
            certify(f"{path}:f", E2M1)

    def test_a_module_that_certifies_when_it_is_imported(self):
        with module(f"""
                import mxcert
                mxcert.certify(lambda x: x, '{E2M1}')
                """) as path, self.assertRaisesRegex(mxcert.CannotRun, "certified while a worker imports it"):
            certify(f"{path}:f", E2M1)

    def test_nothing_is_left(self):
        with tempfile.TemporaryDirectory() as folder:
            before, tempfile.tempdir = tempfile.tempdir, folder
            try:
                certify(at(AT, os.abort), E2M1)
            finally:
                tempfile.tempdir = before
            self.assertEqual(os.listdir(folder), [])
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            self.assertEqual(file.read(), "")

    def test_a_folder_with_a_long_name_and_spaces(self):
        with tempfile.TemporaryDirectory() as folder:
            before, tempfile.tempdir = tempfile.tempdir, os.path.join(folder, "a b'" + "c" * 120)
            os.mkdir(tempfile.tempdir)
            try:
                certify(lambda x: support.widen(x), E2M1).assert_passed()
                certify(support.widen, E2M1, process="import", jobs=1).assert_passed()
            finally:
                tempfile.tempdir = before


if __name__ == "__main__":
    unittest.main()
