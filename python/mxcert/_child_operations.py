# SPDX-License-Identifier: Apache-2.0
"""Functions on matrices: quantizers and dequantizers of blocks that share a power of two, and any other operation on its arrays."""
import numpy

from mxcert import _child_failure
from mxcert._child_arrays import Grid, WrongResult, as_array, codes_of, described, wide_values
from mxcert.worker import Unsupported

TAILS_HINT = "These rows do not divide into blocks. A function that takes whole blocks alone is certified with tails=False."
LARGEST_FP32 = float.fromhex("0x1.fffffep+127")
INFINITY = {"fp32": 0x7F800000, "fp16": 0x7C00, "bf16": 0x7F80}
SPECIAL = 0xFF  # the scale E8M0 has for NaN


def scales_shape(rows, columns, attributes):
    """Rows and columns of the scales of a matrix."""
    block = int(attributes["block"])
    if attributes["axis"] == "row":
        return rows, -(-columns // block)
    return -(-rows // block), columns


def has_tails(attributes, rows, columns):
    """Whether the last block of a row or column is shorter than the others."""
    return (columns if attributes["axis"] == "row" else rows) % int(attributes["block"]) != 0


def refuse_tails(job, rows, columns):
    """A function that takes whole blocks alone is not asked for anything else."""
    if not job["tails"] and has_tails(job["operation"]["attributes"], rows, columns):
        raise Unsupported("whole blocks only: tails=False")


def answer_of(job, function):
    """The function of an operation as mxcert.worker calls it: it gets the shape and the flat inputs, and gives the flat outputs."""
    attributes = job["operation"]["attributes"]
    kinds = {"quantize": (quantize, attributes.get("source")), "dequantize": (dequantize, attributes.get("element"))}
    run, source = kinds.get(job["operation"]["name"], (call_plainly, None))

    def answer(shape, *inputs):
        asked = [codes.copy() for codes in inputs]
        raised = None
        try:
            return run(job, function, shape, *inputs)
        except NotImplementedError as error:
            raise Unsupported(str(error)) from error
        except Unsupported:
            raise
        except Exception as error:  # pylint: disable=broad-except
            raised = error
        if not _child_failure.is_told(job):
            asked, told = plainest(lambda codes: run(job, function, shape, *codes), asked, raised)
            codes, sizes = (asked[0] if asked else None), shape[:2]
            if getattr(told, "codes", None) is not None:
                codes, sizes = told.codes, told.codes.shape
            hint = TAILS_HINT if source and has_tails(attributes, *sizes) else ""
            _child_failure.leave(job, told, _child_failure.name_of(told), codes, list(sizes), source, hint)
        raise raised
    return answer


def plainest(ask, asked, error):
    """Zeros, if they raise the same kind of error, and that error; else what was asked."""
    zeros = [numpy.zeros_like(codes) for codes in asked]
    try:
        ask([codes.copy() for codes in zeros])
    except Exception as found:  # pylint: disable=broad-except
        if type(found) is type(error):
            return zeros, found
    return asked, error


def call_plainly(_job, function, shape, *inputs):
    """Any operation: codes as they lie."""
    return function(shape, *inputs)


def dequantize(job, function, shape, elements, scales):
    """The values of elements and their scales."""
    attributes, (rows, columns) = job["operation"]["attributes"], shape[:2]
    refuse_tails(job, rows, columns)
    result = function(as_array(elements.reshape(rows, columns), attributes["element"], job["arrays"]),
                      as_array(scales.reshape(scales_shape(rows, columns, attributes)), attributes["scale"], job["arrays"]))
    return (codes_of(result, attributes["target"], (rows, columns)),)


def quantize(job, function, shape, values):
    """The elements and scales of values."""
    attributes, (rows, columns) = job["operation"]["attributes"], shape[:2]
    refuse_tails(job, rows, columns)
    values = values.reshape(rows, columns)
    asked = values.copy()
    result = function(as_array(values, attributes["source"], job["arrays"]))
    if job["output"] == "values":
        return split(job, asked, wide_values(result, (rows, columns)))
    try:
        elements, scales = result
    except (TypeError, ValueError):
        raise WrongResult("WRONG_SHAPE", f"the result is {described(result)}, not (elements, scales); for dequantized values take "
                                         "output='values'") from None
    return (codes_of(elements, attributes["element"], (rows, columns), "the array of elements"),
            codes_of(scales, attributes["scale"], scales_shape(rows, columns, attributes), "the array of scales"))


def in_blocks(array, attributes, fill):
    """A matrix as rows of blocks, the last block of a line filled up; and how to undo that for arrays of that form."""
    lines = array if attributes["axis"] == "row" else array.T
    block = int(attributes["block"])
    count, length = lines.shape
    missing = -length % block
    padded = numpy.pad(lines, ((0, 0), (0, missing)), constant_values=fill)

    def undo(blocks):
        back = blocks.reshape(count, length + missing)[:, :length]
        return back if attributes["axis"] == "row" else back.T

    def undo_scales(scales):
        back = scales.reshape(count, -1)
        return back if attributes["axis"] == "row" else back.T
    return padded.reshape(-1, block), undo, undo_scales


def split(job, asked, values):
    """Elements and scales of dequantized values.

    Values alone do not tell their scale: 2 times 1 is 1 times 2. The scale is the first of those permitted for the amax of the block on
    whose grid the values lie, else the smallest of all.
    """
    attributes = job["operation"]["attributes"]
    grid = Grid(attributes["element"], job["grids"][attributes["element"]])
    blocks, undo, undo_scales = in_blocks(values.astype("f8"), attributes, 0.0)
    elements = numpy.full(blocks.shape, -1, dtype="i4")
    scales = numpy.full(len(blocks), SPECIAL, dtype="i4")
    asked_blocks = in_blocks(asked, attributes, 0)[0]
    infinity = INFINITY[attributes["source"]]
    magnitudes = asked_blocks & ((1 << (8 * asked.itemsize - 1)) - 1)
    amaxes = numpy.where(magnitudes > infinity, 0, magnitudes).max(axis=1)  # NaN left out
    # What a finite value was rounded up to may be the first number that binary32 does not have.
    rounded = numpy.isinf(blocks) & (magnitudes < infinity)
    blocks[rounded] = numpy.copysign(2.0**128, blocks[rounded])
    open_blocks = numpy.isnan(blocks).all(axis=1)  # a scale that is NaN
    elements[open_blocks] = 0
    open_blocks = ~open_blocks

    def take(candidates, where):
        scale = numpy.exp2(candidates - 127.0)[:, None]
        found = grid.find(blocks[where] / scale)
        # Of Inf the largest element, which the scale may take beyond binary32.
        beyond = numpy.isinf(blocks[where]) & (grid.largest * scale > LARGEST_FP32)
        if attributes["overflow"] != "sat":
            beyond &= found < 0
        found = numpy.where(beyond, numpy.where(blocks[where] > 0, *grid.codes_of_largest), found)
        fits = (found >= 0).all(axis=1)
        elements[where[fits]], scales[where[fits]] = found[fits], candidates[fits]
        open_blocks[where[fits]] = False

    for candidates in permitted_scales(job["scales"], amaxes):
        where = numpy.flatnonzero(open_blocks & (candidates >= 0) & (candidates != SPECIAL))
        if len(where):
            take(candidates[where], where)
    for scale in range(SPECIAL):
        where = numpy.flatnonzero(open_blocks)
        if not len(where):
            break
        take(numpy.full(len(where), scale), where)
    if open_blocks.any():
        block = int(numpy.flatnonzero(open_blocks)[0])
        raise WrongResult("OFF_GRID", f"under no scale are these values of {grid.name}: {', '.join(map(str, blocks[block]))}",
                          asked_blocks[block].reshape((1, -1) if attributes["axis"] == "row" else (-1, 1)))
    return undo(elements).astype("u1"), undo_scales(scales).astype("u1")


def permitted_scales(table, amaxes):
    """Of each amax the first permitted scale, then the second and so on; -1 where there are no more.

    table: rows of the first amax, the last amax and the permitted codes, ascending.
    """
    firsts = numpy.array([first for first, _, _ in table], dtype="u8")
    lasts = numpy.array([last for _, last, _ in table], dtype="u8")
    most = max(len(codes) for _, _, codes in table)
    codes = numpy.array([[*codes, *[-1] * (most - len(codes))] for _, _, codes in table])
    rows = numpy.searchsorted(firsts, amaxes.astype("u8"), side="right") - 1
    known = (rows >= 0) & (amaxes <= lasts[rows])
    for column in codes.T:
        yield numpy.where(known, column[rows], -1)
