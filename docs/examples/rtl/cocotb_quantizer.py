#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests mxfp8_quantizer.sv by cocotb in Icarus Verilog: each block against mxcert.quantize(), with pauses at both ends.

    COCOTB_LOG_LEVEL=WARNING python3 cocotb_quantizer.py [BUG]

cocotb 2 imports this file again inside the simulator and runs the coroutine there. The exit code is 1 if a block is wrong.
"""

import pathlib
import sys

import cocotb
import mxcert
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from cocotb_tools.runner import get_results, get_runner

FOLDER = pathlib.Path(__file__).resolve().parent
BLOCKS = 30


def random_blocks(random):
    """BF16 codes: the values of a block have one of 16 exponents, and the exponents of blocks span all of BF16's."""
    lowest = random.integers(0, 240, (BLOCKS, 1))
    exponents = lowest + random.integers(0, 15, (BLOCKS, 32))
    fractions = random.integers(0, 128, (BLOCKS, 32))
    signs = random.integers(0, 2, (BLOCKS, 32))
    return (signs << 15 | exponents << 7 | fractions).astype(np.uint16)


@cocotb.test()
async def blocks_are_those_of_the_reference(dut):
    random = np.random.default_rng(1)
    blocks = random_blocks(random)
    elements, scales = mxcert.quantize(blocks, "mxfp8_e4m3", source="bf16")
    Clock(dut.clk, 10, unit="ns").start()
    dut.reset.value, dut.in_valid.value, dut.out_ready.value = 1, 0, 0
    for _ in range(2):
        await FallingEdge(dut.clk)
    dut.reset.value = 0

    given = taken = 0
    while taken < BLOCKS:
        dut.in_valid.value = int(given < BLOCKS and random.integers(8) != 0)
        dut.out_ready.value = int(random.integers(8) != 0)
        dut.x.value = int.from_bytes(blocks[min(given, BLOCKS - 1)].tobytes(), "little") # lane 0 in the lowest bits
        await ReadOnly()
        if dut.out_valid.value and dut.out_ready.value:
            codes = np.frombuffer(dut.code.value.to_unsigned().to_bytes(32, "little"), np.uint8)
            scale = dut.scale.value.to_unsigned()
            assert scale == scales[taken].item(), f"block {taken}: the scale is {scale:#04x}, not {scales[taken].item():#04x}"
            wrong = np.flatnonzero(codes != elements[taken])
            assert wrong.size == 0, f"block {taken}: lane {wrong[0]} is {codes[wrong[0]]:#04x}, scale {scale:#04x}"
            taken += 1
        given += bool(dut.in_valid.value and dut.in_ready.value)
        await FallingEdge(dut.clk)


def main():
    runner = get_runner("icarus")
    runner.build(sources=[FOLDER / name for name in ("mxfp8_quantizer.sv", "e8m0_scale.sv", "scaled_to_mini.sv",
                                                     "float_to_mini.sv")],
                 hdl_toplevel="mxfp8_quantizer", build_args=["-g2012"], parameters={"BUG": (sys.argv + ["0"])[1]},
                 timescale=("1ns", "1ps"), always=True)
    results = runner.test(hdl_toplevel="mxfp8_quantizer", test_module="cocotb_quantizer")
    tests, failures = get_results(results)
    print(f"{'FAIL' if failures or not tests else 'PASS'}: {tests} test, {failures} failed")
    return int(failures != 0 or tests == 0)


if __name__ == "__main__":
    sys.exit(main())
