# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin, run on small test files. Their imports are repeated here: numpy fails if it is loaded twice."""
import json
import os
import sys
import xml.etree.ElementTree

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mxcert._certify  # pylint: disable=unused-import
import support  # pylint: disable=unused-import

pytest_plugins = ["pytester"]

SUPPORT = """
import pytest
import support
"""
RIGHT = SUPPORT + """
@pytest.mark.mxcert("e5m2-fp32-nearest_even-nosat")
def test_widen():
    return support.widen
"""
WRONG = SUPPORT + """
@pytest.mark.mxcert("fp16-e4m3-nearest_even-sat", profile="ocp-sat")
def test_ties():
    return support.ties_away
"""
MENDED = SUPPORT + """
@pytest.mark.mxcert("fp16-e4m3-nearest_even-sat", profile="ocp-sat")
def test_ties():
    return lambda x: support.cast(x.clip(-448, 448))
"""
ACKNOWLEDGE = ("--mxcert-acknowledge", "mended in release 2", "--mxcert-owner", "kernels@example.com")


@pytest.fixture
def run(pytester):
    """A run of pytest on the text of a test file."""
    def run_text(text, *options):
        pytester.makepyfile(test_subject=text)
        return pytester.runpytest_inprocess("-p", "mxcert.pytest_plugin", *options)
    return run_text


def test_a_row_is_an_item(run):
    result = run(RIGHT + """
@pytest.mark.mxcert(dequantizer="mxfp8_e4m3")
def test_dequantizer():
    return support.dequantize
""", "-v")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*::test_widen?e5m2-fp32-nearest_even-nosat? PASSED*", "*::test_dequantizer?values? PASSED*",
                                 "*::test_dequantizer?blocks? PASSED*"])


def test_a_failure_says_its_cause_and_how_to_see_it(run, pytester):
    result = run(WRONG, "--junit-xml", "junit.xml")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*cause: TIES_AWAY", "*x = np.array(?0x????], np.uint16).view(np.float16)*",
                                 "*ties_away(x)  # 0x??, permitted: 0x??*"])
    case = xml.etree.ElementTree.parse(pytester.path / "junit.xml").find(".//testcase")
    assert "TIES_AWAY" in case.find("failure").text
    properties = {entry.get("name"): entry.get("value") for entry in case.iter("property")}
    assert properties["mxcert_bug"] == "TIES_AWAY" and properties["mxcert_level"] == "smoke"


def test_levels(run):
    text = SUPPORT + """
@pytest.mark.mxcert("e2m1-fp32-nearest_even-nosat"LEVEL)
def test_widen():
    return support.widen

def test_fixture(mxcert):
    report = mxcert.certify(support.widen, "e2m1-fp32-nearest_even-nosat"LEVEL)
    report.assert_passed()
    print("the level is", report.json["level"])
"""
    for in_text, options, level in (("", (), "smoke"), (', level="quick"', (), "quick"), ("", ("--mxcert=quick",), "quick"),
                                    (', level="quick"', ("--mxcert=smoke",), "smoke")):
        result = run(text.replace("LEVEL", in_text), "-s", *options)
        result.assert_outcomes(passed=2)
        result.stdout.fnmatch_lines([f"*the level is {level}*"])


def test_arguments_and_profiles(run):
    result = run(SUPPORT + """
@pytest.fixture
def factor():
    return 1

@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.mxcert("e2m1-fp32-nearest_even-nosat", profile=["ocp-sat", "ocp-nosat"])
def test_widen(factor, wide):
    return lambda x: factor * support.widen(x) if wide else x
""", "-v")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["*nosat-ocp-sat-False? FAILED*", "*nosat-ocp-sat-True? PASSED*"])


def test_baselines(run, pytester):
    result = run(WRONG, *ACKNOWLEDGE, "--mxcert-expires", "2999-12-31")
    result.assert_outcomes(passed=1)
    path, = (pytester.path / "mxcert-baselines").iterdir()
    assert path.name == "test_subject.py-test_ties.json"
    deviation, = json.loads(path.read_text())["deviations"]
    assert (deviation["owner"], deviation["bugs"]) == ("kernels@example.com", ["TIES_AWAY"])

    result = run(WRONG, "-rx")
    result.assert_outcomes(xfailed=1)
    result.stdout.fnmatch_lines(["*acknowledged until 2999-12-31 by kernels@example.com: mended in release 2*"])

    result = run(MENDED)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["UNEXPECTED PASS*fp16-e4m3-nearest_even-sat*"])

    path.write_text(path.read_text().replace("2999-12-31", "2001-12-31"))
    result = run(WRONG)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["EXPIRED*fp16-e4m3-nearest_even-sat*"])


def test_another_deviation_is_not_acknowledged(run):
    run(WRONG, *ACKNOWLEDGE, "--mxcert-expires", "2999-12-31").assert_outcomes(passed=1)
    result = run(WRONG.replace("return support.ties_away", "return lambda x: support.ties_away(-x)"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["CHANGED*fp16-e4m3-nearest_even-sat*"])


def test_what_is_refused(run):
    result = run(RIGHT, *ACKNOWLEDGE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--mxcert-acknowledge needs --mxcert-expires*"])
    result = run(RIGHT.replace("return support.widen", "support.widen"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*test_widen returned None: a test marked mxcert returns the function to test*"])
    for arguments in ("", '"e5m2-fp32-nearest_even-nosat", quantizer="mxfp8_e4m3"'):
        result = run(RIGHT.replace('"e5m2-fp32-nearest_even-nosat"', arguments))
        assert result.ret != 0
        result.stdout.fnmatch_lines(["*takes one of a conversion, quantizer= and dequantizer=*"])
    result = run(RIGHT.replace("e5m2-fp32", "e5m2-fp31"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*unknown format 'fp31'; did you mean fp32*"])
