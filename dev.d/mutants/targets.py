# SPDX-License-Identifier: Apache-2.0
"""What is mutated, as data: a target is one plugin; a group of it some functions, with the rows that reach them."""

import dataclasses
import pathlib

OWN = "conformance/mutants/targets"
PORTABLE = "conformance/backends/portable"
KERNELS = "conformance/backends/kernels"
QUANTIZER = "quantize-fp32-{}-e8m0-{}-nearest_even-sat-row-{}"


@dataclasses.dataclass(frozen=True)
class Group:
    """Functions and objects of one file. `names` may be empty: all of the file. `rows` are the conversions and operations
    that are certified, and compared with those of the original on all inputs."""

    file: str
    names: tuple
    rows: tuple
    profile: str = "ocp-sat"


@dataclasses.dataclass(frozen=True)
class Target:
    name: str
    about: str
    sources: tuple  # compiled
    folders: tuple  # copied: the sources and what they include
    groups: tuple
    flags: tuple = ()


def _sources_of(folder):
    """Every C file of a folder: what is added to a plugin is part of its target."""
    root = pathlib.Path(__file__).resolve().parents[2]
    return tuple(f"{folder}/{path.name}" for path in sorted((root / folder).glob("*.c")))


def _own(name, row):
    path = f"{OWN}/{name}.c"
    return Target(name, f"own target `{path}`", (path,), (OWN,), (Group(path, (), (row,)),), ("-O2",))


# Either element, rounding and overflow, in four conversions instead of eight: each costs the comparison of 2^32 inputs.
CONVERSIONS = ("fp32-e4m3-nearest_even-sat", "fp32-e5m2-nearest_even-nosat", "fp32-e5m2-toward_zero-sat",
               "fp32-e4m3-toward_zero-nosat")


TARGETS = (
    _own("fp32_e4m3", "fp32-e4m3-nearest_even-sat"),
    _own("fp32_e5m2", "fp32-e5m2-nearest_even-sat"),
    dataclasses.replace(
        _own("mxfp8_quantizer", QUANTIZER.format("e4m3", "ocp_floor", 32)),
        groups=(Group(f"{OWN}/mxfp8_quantizer.c", ("element_of", "quantize_block"),
                      (QUANTIZER.format("e4m3", "ocp_floor", 32),)),)),
    Target("portable", "the backend `portable`: conversions and quantizers in float arithmetic",
           _sources_of(PORTABLE),
           (PORTABLE,),
           (Group(f"{PORTABLE}/fp8_encode.h", ("fp8_from_float", "fp8_finish"), CONVERSIONS, "ocp"),
            Group(f"{PORTABLE}/int8.h", ("int8_from_float",), ("fp32-int8-nearest_even-sat", "fp32-int8-toward_zero-sat"), "ocp"),
            Group(f"{PORTABLE}/e8m0_encode.h", (), ("fp32-e8m0-up-sat", "fp32-e8m0-nearest_away-sat")),
            Group(f"{PORTABLE}/scale.c", ("scale_floor",), ("amax_fp32-e8m0_for_e4m3-ocp_floor-sat",)),
            Group(f"{PORTABLE}/quantize.c", (), (QUANTIZER.format("e4m3", "ocp_floor", "any"),)),
            Group(f"{PORTABLE}/blocks.c", (), (QUANTIZER.format("e4m3", "ocp_floor", "any"),))),
           ("-O3", "-fno-trapping-math")),
    Target("kernels_host", "the kernels for devices, compiled as C",
           _sources_of(KERNELS),
           (KERNELS,),
           (Group(f"{KERNELS}/number.h", (), CONVERSIONS, "ocp"),
            Group(f"{KERNELS}/encode.h", ("encode", "finished"), CONVERSIONS, "ocp"),
            Group(f"{KERNELS}/encode.h", ("encode_scaled",), (QUANTIZER.format("e4m3", "ocp_floor", "any"),)),
            Group(f"{KERNELS}/scale.h", (), (QUANTIZER.format("e4m3", "ocp_floor", "any"),))),
           ("-O3",)),
)


@dataclasses.dataclass(frozen=True)
class Level:
    """How thoroughly a mutant is certified. `offline`: through files of requests, with these options of `mxcert offline`.
    `includes`: the level whose inputs this one asks, too, so that what fails there fails here. `is_whole`: a conversion is asked
    every input, minutes each, so a mutant that is wrong cannot escape it and is not certified at it. `sweeps`: a quantizer is
    asked billions of values, so only mutants that pass the level it includes, and are not equivalent, are certified at it."""

    name: str
    options: tuple
    includes: str = ""
    offline: bool = False
    is_whole: bool = False
    sweeps: bool = False


LEVELS = (
    Level("smoke", ("--level", "smoke")),
    Level("offline", ("--points", "boundaries"), offline=True),
    Level("quick", ("--level", "quick"), includes="smoke", is_whole=True),
    Level("standard", ("--level", "standard"), includes="quick", is_whole=True, sweeps=True),
)

# The share of the wrong mutants that may escape a level.
GOALS = (("smoke", 1 / 200), ("offline", 1 / 200), ("quick", 1 / 200), ("standard", 0.0))
