# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: a fixture and a marker `mxcert`, levels on the command line, and acknowledged deviations.

Only tests that use it import more than this: the plugin is loaded wherever the package is installed.
"""
import functools
import json
import pathlib
import re
import subprocess

import pytest

from mxcert._certify_choices import LEVELS, profiles_of

ROW = "mxcert_row"
PARTS = {"quantize": ("scale", "elements", "blocks"), "dequantize": ("values", "blocks")}  # the rows of an operation's report
MARKER = """mxcert(conversion, *, quantizer, dequantizer, level, **options): the test returns a function, and each row of its verdict is a
test item. Give a conversion ("fp32-e4m3-nearest_even-sat"), or quantizer="mxfp8_e4m3", or dequantizer="mxfp8_e4m3"; the options are those of
mxcert.certify, certify_quantizer and certify_dequantizer."""


def pytest_addoption(parser):
    group = parser.getgroup("mxcert", "bit-exact tests of FP8 conversions and quantizers")
    group.addoption("--mxcert", dest="mxcert_level", choices=LEVELS, help="how much mxcert asks; default: what a test says, else smoke")
    group.addoption("--mxcert-acknowledge", metavar="REASON", help="write what fails now into the baselines, instead of testing")
    group.addoption("--mxcert-owner", metavar="NAME", help="who looks after what --mxcert-acknowledge lets through")
    group.addoption("--mxcert-expires", metavar="YYYY-MM-DD", help="the last day on which it is let through")
    parser.addini("mxcert_baselines", "the folder of the baselines, from the root folder", default="mxcert-baselines")


def pytest_configure(config):
    config.addinivalue_line("markers", " ".join(MARKER.split()))
    needs = [name for name in ("owner", "expires") if not config.getoption(f"mxcert_{name}")]
    if config.getoption("mxcert_acknowledge") and needs:
        raise pytest.UsageError("--mxcert-acknowledge needs " + " and ".join(f"--mxcert-{name}" for name in needs))


def level_of(config, given):
    return config.getoption("mxcert_level") or given or "smoke"


class Certifier:
    """The functions of mxcert, at the level of the command line."""

    def __init__(self, config):
        from mxcert import _certify
        for name in ("certify", "certify_quantizer", "certify_dequantizer", "certify_operation"):
            setattr(self, name, self._at_level(getattr(_certify, name), config))

    @staticmethod
    def _at_level(function, config):
        @functools.wraps(function)
        def run(*arguments, level=None, **options):
            return function(*arguments, level=level_of(config, level), **options)
        return run


@pytest.fixture
def mxcert(request):
    """mxcert.certify(fn, "fp32-e4m3-nearest_even-sat") and the like, at the level of --mxcert. Each returns a report."""
    return Certifier(request.config)


@pytest.fixture
def mxcert_row(request):
    """The part and the profile of the row that a test item is for."""
    return request.param


def subject_maker(marker):
    """From a marker the name of the function that makes a Subject, its argument after the function, the parts, and the other options."""
    options = dict(marker.kwargs)
    options.pop("level", None)
    given = {"conversion": marker.args[0]} if marker.args else {}
    given.update({name: options.pop(name) for name in ("conversion", "quantizer", "dequantizer") if name in options})
    if len(marker.args) > 1 or len(given) != 1:
        raise pytest.UsageError("@pytest.mark.mxcert takes one of a conversion, quantizer= and dequantizer=")
    (kind, what), = given.items()
    return f"{kind}_subject", what, PARTS.get({"quantizer": "quantize", "dequantizer": "dequantize"}.get(kind), (what,)), options


def pytest_generate_tests(metafunc):
    marker = metafunc.definition.get_closest_marker("mxcert")
    if marker is None:
        return
    _, _, parts, options = subject_maker(marker)
    profiles = profiles_of(options.get("profile")) or [None]
    rows = [(part, profile) for profile in profiles for part in parts]
    ids = [f"{part}-{profile}" if len(profiles) > 1 else part for part, profile in rows]
    metafunc.fixturenames.append(ROW)
    metafunc.parametrize(ROW, rows, ids=ids, indirect=True)


def plainly(function, *arguments, **options):
    """Calls a function of mxcert. What it refuses fails the test in its own words: the frames of this package help nobody."""
    from mxcert._certify_process import CannotRun
    try:
        return function(*arguments, **options)
    except (ValueError, TypeError, FileNotFoundError, CannotRun) as error:
        pytest.fail(f"mxcert: {error}", pytrace=False)


class MarkedTest:
    """A test function with the marker: what its items share."""

    def __init__(self, item):
        from mxcert import _certify
        self.config = item.config
        marker = item.get_closest_marker("mxcert")
        maker, what, _, options = subject_maker(marker)
        function = item.obj(**{name: item.funcargs[name] for name in item._fixtureinfo.argnames})
        if not callable(function) and not isinstance(function, str):
            pytest.fail(f"{item.originalname} returned {function!r}: a test marked mxcert returns the function to test", pytrace=False)
        self.subject = plainly(getattr(_certify, maker), function, what, **options)
        self.level = level_of(item.config, marker.kwargs.get("level"))
        # A baseline knows a backend by its name. It is the test's here: the function may get another one and be the same.
        self.name = name_of(item)
        self.baseline = pathlib.Path(item.config.rootpath, item.config.getini("mxcert_baselines"), self.name + ".json")
        self.report = self.written = None

    def certify(self):
        if self.report is None:
            self.report = plainly(self.subject.certify, self.level)
        return self.report

    def row(self, part, profile):
        """The row of an item; None if there is none."""
        return next((row for row in self.certify().rows if row.part == part and profile in (None, row.profile)), None)

    def acknowledged(self, part, profile):
        """The deviation that the baseline has for an item; None if there is none."""
        if not self.baseline.is_file():
            return None
        deviations = json.loads(self.baseline.read_text(encoding="utf-8")).get("deviations", [])
        return next((deviation for deviation in deviations
                     if deviation["row"].rpartition("/")[2] == part and profile in (None, deviation["profile"])), None)

    def gate(self, *words, profile=None, level=None):
        """Runs `mxcert gate` on the function: its exit code and what it says. docs/gate.md says what is the same and what is not."""
        from mxcert._certify import command_of
        from mxcert._certify_process import backend
        with backend(self.subject.function, {**self.subject.job, "name": self.name}, self.subject.process) as path:
            command = command_of("gate", path, profile, level, self.subject.limits)
            done = subprocess.run([*command, "--baseline", str(self.baseline), *words], stdin=subprocess.DEVNULL, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.strip()

    def acknowledge(self):
        """Writes the baseline, once for all items: what gate() gives."""
        if self.written is None:
            self.baseline.parent.mkdir(parents=True, exist_ok=True)
            option = self.config.getoption
            self.written = self.gate(
                "--acknowledge", "--reason", option("mxcert_acknowledge"), "--owner", option("mxcert_owner"), "--expires",
                option("mxcert_expires"), "--filter", self.subject.rows, profile=self.subject.profile, level=self.level)
        return self.written


def other_parameters(item):
    """The parameters of a test that are its own, by name."""
    return {name: value for name, value in item.callspec.params.items() if name != ROW}


def name_of(item):
    """What the items of a marked test are called together: the same in each session."""
    def word(value):
        return str(value) if isinstance(value, (str, int, float, type(None))) else getattr(value, "__name__", type(value).__name__)

    words = [f"{item.parent.nodeid}::{item.originalname}"]
    words += [f"{name}={word(value)}" for name, value in other_parameters(item).items()]
    return re.sub(r"[^\w.=-]+", "-", "-".join(words))


TESTS = pytest.StashKey()


def test_of(item):
    """The MarkedTest of an item, made once."""
    tests = item.session.stash.setdefault(TESTS, {})
    key = item.parent.nodeid, item.originalname, *((name, id(value)) for name, value in other_parameters(item).items())
    if key not in tests:
        tests[key] = MarkedTest(item)
    return tests[key]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if pyfuncitem.get_closest_marker("mxcert") is None:
        return None
    part, profile = pyfuncitem.callspec.params[ROW]
    test = test_of(pyfuncitem)
    if pyfuncitem.config.getoption("mxcert_acknowledge"):
        code, text = test.acknowledge()
        if code:
            pytest.fail(text, pytrace=False)
        return True
    deviation = test.acknowledged(part, profile)
    if deviation is not None:
        code, text = test.gate("--filter", deviation["row"])
        if code == 0:
            pytest.xfail(f"acknowledged until {deviation['expires']} by {deviation['owner']}: {deviation['reason']}")
        pytest.fail(text, pytrace=False)
    judge(pyfuncitem, test, test.row(part, profile))
    return True


def judge(item, test, row):
    """Ends an item by its row."""
    if row is None:
        pytest.skip(f"not asked at level {test.level}")
    item.user_properties += [("mxcert_row", row.id), ("mxcert_profile", row.profile), ("mxcert_level", test.level),
                             ("mxcert_status", row.status)]
    item.user_properties += [("mxcert_bug", finding.name) for finding in row.findings if finding.name]
    if not row.passed:
        pytest.fail(str(row), pytrace=False)
