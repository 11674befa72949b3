# SPDX-License-Identifier: Apache-2.0
"""Serves a Python implementation to mxcert. It needs numpy and nothing else of this package: a copy of this file beside a script does as
well. docs/frames.md has the protocol.

    from mxcert.worker import Backend, Conversion, serve

    def load():
        import my_kernels  # inside: if it is missing, mxcert says so
        return Backend("my_kernels", my_kernels.__version__, "what code this is, on what it runs", [
            Conversion("fp32", "e4m3", "nearest_even", "sat", lambda codes: my_kernels.to_fp8(codes.view("f4")))])

    serve(load)

A function gets an array of codes (unsigned integers of the source's width) and gives one of as many codes of the target. From a
source with a given scale ("fp32_by_e8m0", "e4m3_times_e8m0") it gets an array of values and the code of the scale of them all. What
it raises becomes the answer to that request. It may print: standard output then goes where standard error goes.
"""
import hashlib
import json
import mmap
import os
import struct
import sys
from dataclasses import dataclass
from typing import Callable, Optional

HELLO, START, CONVERT, RESULT, FAILED, END, RUN, RUN_SHARED = range(1, 9)
MAX_PAYLOAD = 2**29  # bytes of a frame
INLINE = 2**64 - 1  # the output offset that asks for outputs in the RESULT
NAMES = ("source", "target", "rounding", "overflow", "random_bits")  # of an offer, in HELLO and in START
BYTES = {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2}  # every other format has up to 8 bits
BITS = {"fp32": 32, "fp16": 16, "bf16": 16, "e3m2": 6, "e2m3": 6, "e2m1": 4}  # of a value below a given scale; of all others 8
BYTES.update({f"{prefix}_{name}": BYTES[name] for prefix in ("amax", "relu") for name in ("fp32", "fp16", "bf16")})


def layout(source):
    """Bytes of a code; of a source with a given scale also the format of its value, above which the scale is."""
    for middle in ("_by_", "_times_"):
        value, found, _scale = source.partition(middle)
        if found:
            return 2 * BYTES.get(value, 1), value
    return BYTES.get(source, 1), None


class Unsupported(Exception):
    """Raise it where this machine or build cannot do a conversion after all."""


@dataclass
class Conversion:
    """One offer, in the names of `mxcert formats` and `mxcert choices`. With random_bits the function gets a second array."""
    source: str
    target: str
    rounding: str
    overflow: str
    function: Callable
    random_bits: int = 0


@dataclass
class Operation:
    """One operation on arrays (docs/operations.md). The function gets the shape and the flat inputs, and gives the flat outputs."""
    name: str
    attributes: dict
    function: Callable


@dataclass
class Backend:
    name: str
    version: str
    description: str
    conversions: list
    files: tuple = ()     # what decides the answers, beside the scripts: part of the build id of reports
    chunk: int = 1 << 16  # values that a function gets at once, if the harness does not say
    max_batch: int = 0    # the most values that a function may get at once; 0: any number
    one_worker: bool = False  # all processes would share one device: one asks, unless --jobs says how many
    operations: tuple = ()
    failed: Optional[Callable] = None  # see Worker.convert


def digest(data):
    """FNV-1a over 8-byte words."""
    value = 0xCBF29CE484222325
    for (word,) in struct.iter_unpack("<Q", data + bytes(-len(data) % 8)):
        value = (value ^ word) * 0x100000001B3 % 2**64
    return value


def asked_for(kind, payload):
    """How many values a request asks for."""
    if kind == CONVERT:
        return struct.unpack("<Q", payload[16:24])[0]
    inputs, outputs = arrays_of(kind, payload)
    return sum(count for count, *_ in outputs)


def arrays_of(kind, payload):
    """Of a run, each input and each output: the number of its values, the bytes of one and, in shared memory, where they lie."""
    inputs, outputs = struct.unpack("<II", payload[8:16])
    entry = "<QQ" if kind == RUN else "<QQQ"
    arrays = list(struct.iter_unpack(entry, payload[48:48 + struct.calcsize(entry) * (inputs + outputs)]))
    return arrays[:inputs], arrays[inputs:]


class Streams:
    """Streams of codes side by side, each `length` codes from its first one on: position p has the code firsts[p mod n] + p / n.

    firsts, length: a tuple and a number. width: bytes of a code.
    """

    def __init__(self, firsts, length, width, chunk):
        import numpy
        self.count, self.length, self.dtype = len(firsts), length, numpy.dtype(f"=u{width}")
        self.firsts = numpy.array(firsts, "u8").astype(self.dtype)
        self.base = self.rows(0, chunk // self.count + 2)  # all others are these plus a number, which is faster
        self.buffer = numpy.empty_like(self.base)

    def rows(self, first, last):
        import numpy
        rows = numpy.arange(first, last, dtype="u8") % self.length
        return numpy.add.outer(rows.astype(self.dtype), self.firsts).reshape(-1)

    def codes(self, first, count):
        """The codes at the positions `first` to `first` + `count`, as an array that nobody else has."""
        import numpy
        row, skipped = divmod(first, self.count)
        row %= self.length
        rows = -(-(skipped + count) // self.count)
        if row + rows <= self.length and rows * self.count <= len(self.base):
            if sys.getrefcount(self.buffer) > 2:  # the last codes are still in use
                self.buffer = numpy.empty_like(self.base)
            return numpy.add(self.base[skipped:skipped + count], self.dtype.type(row), out=self.buffer[:count])
        return self.rows(row, row + rows)[skipped:skipped + count]


def build_of(files):
    """A digest of these files and of this one. Of numpy, which is large, the file with its version and revision stands for all."""
    total = hashlib.sha256()
    for name in sorted({os.path.realpath(name) for name in (__file__, *files)}):
        with open(name, "rb") as file:
            total.update(hashlib.sha256(file.read()).digest())
    return total.hexdigest()


def imported_packages():
    """The versions of the packages that are imported now, by their names; without those of Python itself."""
    found = {}
    for name, module in sorted(sys.modules.items()):
        file, version = getattr(module, "__file__", None), getattr(module, "__version__", None)
        if "." not in name and isinstance(version, str) and file and "-packages" in file:
            found[name] = version
    return found


class Worker:
    """One side of the frames. Descriptors: requests come from `requests`, answers go to `answers`, and the shared memory is `memory`,
    or the one that START names.
    """

    def __init__(self, requests=0, answers=1, memory=None):
        self.requests, self.answers = os.fdopen(os.dup(requests), "rb"), os.fdopen(os.dup(answers), "wb")
        os.dup2(2, 1)  # whatever prints must not write into the frames
        self.memory = memory
        self.shared = None
        self.streams = {}  # the last two requests': the next one has them mostly, too, and one that is asked again has others
        self.asked = None  # the list of START: an own offer each, or the name of one that is not offered
        self.refusal = None  # why START could not be followed

    def send(self, kind, request, *parts):
        length = sum(len(part) for part in parts)
        self.answers.write(b"".join((struct.pack("<4sHHQQ", b"MXCF", 1, kind, request, length), *parts)))
        self.answers.flush()

    def send_json(self, kind, request, content):
        self.send(kind, request, json.dumps(content).encode())

    def read(self, count):
        data = self.requests.read(count)
        if len(data) != count:
            sys.exit("the requests end without END")
        return data

    def receive(self):
        magic, version, kind, request, length = struct.unpack("<4sHHQQ", self.read(24))
        if magic != b"MXCF" or version != 1 or length > MAX_PAYLOAD:
            sys.exit("not a frame")
        return kind, request, self.read(length)

    def start(self, backend, payload):
        try:
            content = json.loads(payload)
            if content["shared"]:
                descriptor = content["shared"]["fd"] if self.memory is None else self.memory
                self.shared = mmap.mmap(descriptor, content["shared"]["bytes"])
            if "conversions" in content:  # requests of a file, written without knowing the offers
                own = {tuple(getattr(offer, name) for name in NAMES): offer for offer in reversed(backend.conversions)}
                wanted = [tuple(one[name] for name in NAMES) for one in content["conversions"]]
                self.asked = [own.get(one, "{} to {}, {}, {}".format(*one)) for one in wanted]
        except Exception as error:  # the answer to every request
            self.refusal = f"START: {type(error).__name__}: {error}"

    def offer(self, backend, index):
        if self.refusal:
            raise ValueError(self.refusal)
        offer = (backend.conversions if self.asked is None else self.asked)[index]
        if isinstance(offer, str):
            raise Unsupported("does not offer " + offer)
        return offer

    def array(self, width, count, offset, payload):
        """Values in shared memory, or in a payload, which is little-endian."""
        import numpy
        place, order = (self.shared, "=") if payload is None else (payload, "<")
        return numpy.frombuffer(place, f"{order}u{width}", count, offset).astype(f"=u{width}", copy=False)

    def convert(self, backend, payload):
        """The parts of the RESULT of a CONVERT.

        What a function raises goes to backend.failed as well, with the codes and the random words (or None) that it was for, and a
        function that asks again for some of them.
        """
        import numpy
        fields = struct.unpack("<IIQQQQQQQ", payload[:64])
        index, inputs, first, count, input_at, random_at, output_at, batch, poison = fields
        offer = self.offer(backend, index)
        (source, value), target = layout(offer.source), BYTES.get(offer.target, 1)
        inline = payload if inputs == 1 else None
        random = None
        if offer.random_bits:
            random_at = 64 + count * source if inputs == 1 else random_at
            random = self.array(4, count, random_at, inline)
        codes = None
        if inputs in (1, 2):
            codes = self.array(source, count, 64 if inputs == 1 else input_at, inline)
        if inputs == 3:
            streams = self.streams_of(source, payload[64:], backend.chunk)
        if output_at == INLINE:
            outputs = numpy.frombuffer(bytearray([poison]) * (count * target), f"=u{target}")
        else:
            outputs = numpy.frombuffer(self.shared, f"=u{target}", count, output_at)
        batch = batch or backend.chunk
        if backend.max_batch:
            batch = min(batch, backend.max_batch)

        def codes_at(at, end):
            """Always an array of its own, so that no function can write to what was asked."""
            if inputs == 3:
                return streams.codes(first + at, end - at)
            if codes is None:
                return numpy.arange(first + at, first + end, dtype="u8").astype(f"=u{source}")
            return codes[at:end].copy()

        ask = self.caller(offer, value, outputs.dtype)
        at_once = max(backend.chunk // batch, 1) * batch  # of small batches the codes are made together
        for begin in range(0, count, at_once):
            made = None  # its memory is used again: new pages cost as much as a cheap function
            made = codes_at(begin, min(begin + at_once, count))
            for at in range(begin, begin + len(made), batch):
                end = min(at + batch, begin + len(made))
                words = None if random is None else random[at:end].copy()
                raised = None
                try:
                    outputs[at:end] = ask(made[at - begin:end - begin], words)
                except Exception as error:
                    raised = error
                if raised is not None:  # what failed() raises and catches would else be shown as a cause of it
                    if backend.failed:
                        backend.failed(raised, codes_at(at, end), words, ask)
                    raise raised
        if output_at != INLINE:
            return (struct.pack("<QQ", count, 0),)
        data = outputs.astype(f"<u{target}").tobytes()
        return struct.pack("<QQ", count, digest(data)), data

    def run_operation(self, backend, kind, payload):
        """The parts of the RESULT of a RUN, whose arrays are in frames, or of a RUN_SHARED."""
        import numpy
        if self.refusal:
            raise ValueError(self.refusal)
        index, shape = struct.unpack("<I", payload[:4])[0], struct.unpack("<QQQQ", payload[16:48])
        inputs, outputs = arrays_of(kind, payload)
        at, arrays = 48 + 16 * (len(inputs) + len(outputs)), []
        for count, width, *place in inputs:
            arrays.append(self.array(width, count, *((place[0], None) if place else (at, payload))).copy())
            at += count * width
        results = backend.operations[index].function(shape, *arrays)
        if len(results) != len(outputs):
            raise ValueError(f"{len(results)} outputs, expected {len(outputs)}")
        data = []
        for result, (count, width, *place) in zip(results, outputs):
            result = numpy.ascontiguousarray(result).reshape(-1)
            if result.size != count or result.dtype.itemsize != width:
                raise ValueError(f"{result.size} of {result.dtype} for {count} values of {width} bytes")
            codes = result.view(f"=u{width}")
            if place:
                numpy.frombuffer(self.shared, codes.dtype, count, place[0])[:] = codes
            else:
                data.append(codes.astype(f"<u{width}").tobytes())
        values = sum(count for count, *_ in outputs)
        if kind == RUN_SHARED:
            return (struct.pack("<QQ", values, 0),)
        return struct.pack("<QQ", values, digest(b"".join(data))), *data

    def streams_of(self, source, payload, chunk):
        """The streams that a payload describes."""
        key = source, payload
        streams = self.streams.pop(key, None)
        if streams is None:
            length, *firsts = (word for (word,) in struct.iter_unpack("<Q", payload))
            streams = Streams(firsts, length, source, chunk)
        self.streams[key] = streams  # the newest is the last
        if len(self.streams) > 2:
            del self.streams[next(iter(self.streams))]
        return streams

    def caller(self, offer, value, target):
        """A function of codes and random words (or None) that gives the codes of the offer's function, as the type `target`; scale by
        scale if the source has a given one.
        """
        import numpy
        function, array = offer.function, numpy.ndarray

        def plain(codes, random=None):  # called very often: of requests that are cut into small batches it is a third of the time
            result = function(codes) if random is None else function(codes, random)
            if type(result) is array and result.dtype is target and result.shape == codes.shape:
                return result
            return self.checked(result, codes.shape, target)

        def by_scale(codes, _random=None):
            bits, dtype = BITS.get(value, 8), f"=u{BYTES.get(value, 1)}"
            cuts = numpy.flatnonzero(numpy.diff(codes >> bits)) + 1
            return numpy.concatenate([
                self.checked(function((part & ((1 << bits) - 1)).astype(dtype), int(part[0]) >> bits), part.shape, target)
                for part in numpy.split(codes, cuts)])
        return plain if value is None else by_scale

    def checked(self, result, shape, target):
        """A result as an array of the type `target`, if it has that shape and width."""
        import numpy
        result = numpy.asarray(result)
        if result.shape != shape or result.dtype.itemsize != target.itemsize:
            raise ValueError(f"{result.shape} of {result.dtype} for {shape[0]} values of {target.itemsize} bytes")
        return result if result.dtype == target else numpy.ascontiguousarray(result).view(target)

    def run(self, load):
        try:
            backend = load()
            import numpy  # missing, it shows now
        except Exception as error:
            self.send_json(HELLO, 0, {"protocol": 1, "error": f"{type(error).__name__}: {error}"})
            return 1
        offers = [{name: getattr(offer, name) for name in NAMES} for offer in backend.conversions]
        about = dict(name=backend.name, version=backend.version, description=backend.description,
                     build=build_of((*backend.files, numpy.version.__file__)))
        operations = [{"name": one.name, "attributes": one.attributes} for one in backend.operations]
        self.send_json(HELLO, 0, {"protocol": 1, "backend": about, "conversions": offers, "operations": operations,
                                  "shared": True, "shared_runs": True, "interleaved": True, "max_batch": backend.max_batch,
                                  "packages": imported_packages(),
                                  "one_worker": backend.one_worker})
        kind, _, payload = self.receive()
        if kind != START:
            sys.exit("no START")
        self.start(backend, payload)
        served = values = 0
        while True:
            kind, request, payload = self.receive()
            if kind == END:
                self.send(END, 0, struct.pack("<QQ", served, values))
                return 0
            if kind not in (CONVERT, RUN, RUN_SHARED):
                sys.exit("unexpected frame")
            served, values = served + 1, (values + asked_for(kind, payload)) % 2**64
            try:
                parts = self.convert(backend, payload) if kind == CONVERT else self.run_operation(backend, kind, payload)
            except Exception as error:  # the next request may still be served
                status = "unsupported" if isinstance(error, Unsupported) else "error"
                self.send_json(FAILED, request, {"status": status, "message": f"{type(error).__name__}: {error}"})
            else:
                self.send(RESULT, request, *parts)


def serve(load, leave_at_once=False):
    """Serves what load() returns, a Backend, until the harness ends it. What load() raises is the reason that it cannot.

    leave_at_once: ends without what Python does at its end. torch takes seconds to go, longer than the harness waits after the last
    frame.
    """
    try:
        sys.exit(Worker().run(load))
    except SystemExit as end:
        if not leave_at_once:
            raise
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        sys.stderr.flush()
        os._exit(1 if isinstance(end.code, str) else end.code or 0)
