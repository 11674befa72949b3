# SPDX-License-Identifier: Apache-2.0
"""The C functions of the backends, each with a caller of one value, which is what is translated and what is run.

Which function makes which conversion is read off the backends: off the preprocessed table of `portable`, and from a program that prints
the table of the kernels for devices.
"""
import ctypes
import dataclasses
import hashlib
import pathlib
import re
import subprocess

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PORTABLE = "conformance/backends/portable"
KERNELS = "conformance/backends/kernels"
CLANG = "clang-14"
# The plugins' own options; every pass but those that make vectors, which the translation has no word for.
OPTIONS = ["-std=gnu11", "-ffp-contract=off", "-fno-trapping-math", "-DPORTABLE_PLAIN", "-Werror=implicit-function-declaration"]

# Of a value with a scale, the scale stands right above the bits of the value.
NARROW = {"e3m2": 6, "e2m3": 6, "e2m1": 4}
TYPES = {"fp32": ("float", 32), "fp64": ("double", 64), "fp16": ("uint16_t", 16), "bf16": ("uint16_t", 16)}


class SourceError(Exception):
    """The sources are not as expected, or do not compile; the message says where."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """A conversion of a backend. `caller` is the C text of a function `name` from the input's bits to the code."""
    backend: str
    conversion: str
    file: str
    function: str
    name: str
    caller: str
    bits: int  # of an argument of the caller, 64 with a scale
    code_bits: int

    @property
    def golden(self):
        source, target = self.conversion.split("-")[:2]
        return f"vectors/golden/{source}-{target}.csv"


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SourceError(f"{command[0]}: {done.stderr.strip()[:2000]}")
    return done.stdout


def include(folder):
    return ["-I", str(folder)]


# portable

ROW = re.compile(r'\{((?:"[^"]*"\s*)+),\s*((?:"[^"]*"\s*)+),\s*"(\w+)",\s*"(\w+)",\s*(\w+|\(\(void\*\)0\)),\s*(\w+|\(\(void\*\)0\)),'
                 r'\s*(\w+|\(\(void\*\)0\)),\s*(\w+)\}')
DEFINED = re.compile(r"\bvoid (portable_\w+)\(const void\* ?input, void\* ?output, uint64_t count(?:, uint8_t scale)?\) ?\{")


def joined(literals):
    return "".join(re.findall(r'"([^"]*)"', literals))


def value_type(name):
    """The C type of values of a format, and its width."""
    return TYPES.get(re.sub("^amax_|_by_e8m0$", "", name), ("uint8_t", 8))


def as_bits(kind, expression):
    return {"float": f"bits_of_float({expression})", "double": f"bits_of_double({expression})"}.get(kind, expression)


def of_bits(kind, expression):
    return {"float": f"float_of_bits((uint32_t)({expression}))", "double": f"double_of_bits({expression})"}.get(kind, f"({kind})({expression})")


def has_scale(source):
    return source.endswith(("_by_e8m0", "_times_e8m0"))


def arguments_of(source, in_type, in_bits):
    """C text of the value in an input x, and of the scale behind a comma, if it has one."""
    if not has_scale(source):
        return of_bits(in_type, "x"), ""
    value_bits = NARROW.get(source.removesuffix("_times_e8m0"), in_bits)
    value = f"({in_type})(x & {(1 << value_bits) - 1})" if value_bits < in_bits else of_bits(in_type, "x")
    return value, f", (uint8_t)(x >> {value_bits})"


def portable_caller(name, function, source, target):
    in_type, in_bits = value_type(source)
    out_type, out_bits = value_type(target)
    bits = 64 if has_scale(source) else in_bits
    value, scale = arguments_of(source, in_type, in_bits)
    text = (f"uint{out_bits}_t {name}(uint{bits}_t x) {{ const {in_type} value = {value}; {out_type} code; "
            f"{function}(&value, &code, 1{scale}); return {as_bits(out_type, 'code')}; }}\n")
    return text, bits, out_bits


def portable_entries(folder):
    """The entries of `portable`, and the names of those that are left out."""
    found, left_out, defined = [], [], {}
    for path in sorted((folder / PORTABLE).glob("*.c")):
        text = run(CLANG, "-E", "-P", *OPTIONS, *include(folder), str(path))
        file = path.relative_to(folder).as_posix()
        defined.update({name: file for name in DEFINED.findall(text)})
        if path.name == "portable.c":
            table = text
    start = table.index("entry entries[] = {")
    body = table[start + len("entry entries[] = {"):table.index("};", start)]
    rows = list(ROW.finditer(body))
    if not rows or ROW.sub("", body).strip(", \n\t"):
        raise SourceError(f"{PORTABLE}/portable.c: its table of conversions has a row of another form")
    for row in rows:
        source, target = joined(row[1]), joined(row[2])
        conversion = f"{source}-{target}-{row[3]}-{row[4]}"
        kernel, scaled, drawn = (None if name.startswith("(") else name for name in row.group(5, 6, 7))
        if drawn:
            left_out.append(("portable", conversion, "random bits, so there is no table"))
            continue
        function = kernel or scaled
        if function not in defined:
            raise SourceError(f"{PORTABLE}: no file defines {function}")
        name = f"one_{function}"
        caller, bits, code_bits = portable_caller(name, function, source, target)
        found.append(Entry("portable", conversion, defined[function], function, name, caller, bits, code_bits))
    return found, left_out


# The kernels for devices

PRINT_TABLE = """
#include "conformance/backends/kernels/conversions.c"
int main(void) {
    uint32_t count;
    const mxcert_conversion* c = kernels_conversions(&count);
    for (uint32_t i = 0; i < count; ++i) {
        entry* e = &entries[i];
        const char* how = e->convert == plainly ? "plainly" : e->convert == with_scale ? "with_scale" :
            e->convert == with_scale_of_1 ? "with_scale_of_1" : e->convert == times_1 ? "times_1" : e->convert == to_scales ? "to_scales" : "?";
        e->step.what.size[0] = 1;
        e->step.what.place.length = 1;
        printf("%s-%s-%s-%s %s %s %u %u %u ", c[i].source, c[i].target, c[i].rounding, c[i].overflow, how,
               kernels_names[e->step.kernel], e->from_bytes, e->to_bytes, (unsigned)e->one);
        for (size_t k = 0; k < sizeof e->step.what; ++k) printf("%02x", ((const unsigned char*)&e->step.what)[k]);
        printf("\\n");
    }
}
"""

# The arrays values, scales and result of a kernel, by the function of conversions.c that calls it.
ARRAYS = {
    "plainly": ("&value", "0", "&code"),
    "with_scale": ("&value", "&scale", "&code"),
    "with_scale_of_1": ("&value", "&one", "&code"),
    "times_1": ("&one", "&value", "&code"),
    "to_scales": ("&value", "&code", "0"),
}


def kernel_entries(folder, work):
    """The same of the kernels for devices, with the parameters that the backend gives them."""
    (work / "table.c").write_text(PRINT_TABLE, encoding="utf-8")
    others = [str(folder / KERNELS / f"{name}.c") for name in ("shell", "error", "operations", "host", "launch")]
    run(CLANG, *OPTIONS, *include(folder), str(work / "table.c"), *others, "-o", str(work / "table"))
    found = []
    for number, line in enumerate(run(str(work / "table")).splitlines()):
        conversion, how, kernel, from_bytes, to_bytes, one, parameters = line.split(" ")
        if how not in ARRAYS:
            raise SourceError(f"{KERNELS}/conversions.c: {conversion} is made in another way than {', '.join(ARRAYS)}")
        bits, code_bits = int(from_bytes) * 8, int(to_bytes) * 8
        arrays = ARRAYS[how]
        name = f"one_{number}_{kernel}"
        one = "127" if how == "with_scale_of_1" else one
        caller = (f"static const unsigned char told_{number}[] = {{{', '.join(f'0x{byte:02x}' for byte in bytes.fromhex(parameters))}}};\n"
                  f"uint{code_bits}_t {name}(uint{64 if how == 'with_scale' else bits}_t x) {{\n"
                  f"    parameters p;\n    memcpy(&p, told_{number}, sizeof p);\n"
                  f"    const u{bits} value = (u{bits})x;\n    u{code_bits} code = 0;\n"
                  + (f"    const u8 scale = (u8)(x >> {bits});\n" if how == "with_scale" else "")
                  + (f"    const u8 one = {one};\n" if "&one" in arrays else "")
                  + f"    {kernel}({', '.join('(void*)(uintptr_t)' + array for array in arrays)}, 0, 0, 0, p, 0, 0, 0);\n    return code;\n}}\n")
        found.append(Entry("kernels", conversion, f"{KERNELS}/launch.c", kernel, name, caller, 64 if how == "with_scale" else bits, code_bits))
    return found


def entries(folder, work):
    found, left_out = portable_entries(folder)
    return found + kernel_entries(folder, work), left_out


# Functions of a user

def own_entry(file, function, conversion):
    """A function of one value, and of a scale where the conversion has one, in a file of its own."""
    source, target = conversion.split("-")[:2]
    in_type, in_bits = value_type(source)
    out_type, out_bits = value_type(target)
    bits = 64 if has_scale(source) else in_bits
    value, scale = arguments_of(source, in_type, in_bits)
    caller = (f"uint{out_bits}_t one_{function}(uint{bits}_t x) {{ const {out_type} code = {function}({value}{scale}); "
              f"return {as_bits(out_type, 'code')}; }}\n")
    return Entry("own", conversion, str(file.resolve()), function, f"one_{function}", caller, bits, out_bits)


# Compiled

CASTS = """
#include <stdint.h>
#include <string.h>
static inline float float_of_bits(uint32_t u) { float x; memcpy(&x, &u, sizeof x); return x; }
static inline double double_of_bits(uint64_t u) { double x; memcpy(&x, &u, sizeof x); return x; }
static inline uint32_t bits_of_float(float x) { uint32_t u; memcpy(&u, &x, sizeof u); return u; }
static inline uint64_t bits_of_double(double x) { uint64_t u; memcpy(&u, &x, sizeof u); return u; }
"""


def text_of(folder, file, chosen):
    head = f'#include "{folder / file}"\n'
    return head + CASTS + "".join(entry.caller for entry in chosen)


def sources_of(folder, file, work):
    """The files of the project that a source consists of, itself among them."""
    (work / "one.c").write_text(text_of(folder, file, []), encoding="utf-8")
    words = run(CLANG, "-MM", *OPTIONS, *include(folder), str(work / "one.c")).replace("\\\n", " ").split()
    paths = [pathlib.Path(word).resolve() for word in words[1:]]
    return sorted(path.relative_to(folder.resolve()).as_posix() for path in paths if path.is_relative_to(folder.resolve())
                  and not path.is_relative_to(work.resolve()))


def intermediate(folder, file, chosen):
    """The text of LLVM's intermediate language of the callers of entries of one file."""
    return run(CLANG, *OPTIONS, "-O1", *include(folder), "-x", "c", "-S", "-emit-llvm", "-o", "-", "-", text=text_of(folder, file, chosen))


class Compiled:
    """The callers of entries of one file, compiled by the machine's C compiler as the plugins are, to be run."""

    def __init__(self, folder, file, chosen, work):
        loops = "".join(
            f"void all_{entry.name}(const uint64_t* x, uint64_t* code, uint64_t count) {{ "
            f"for (uint64_t i = 0; i < count; ++i) code[i] = {entry.name}((uint{entry.bits}_t)x[i]); }}\n" for entry in chosen)
        source = work / "compiled.c"
        source.write_text(text_of(folder, file, chosen) + loops, encoding="utf-8")
        digest = hashlib.sha256(source.read_bytes() + b"".join((folder / name).read_bytes() for name in sources_of(folder, file, work)))
        library = work / f"{digest.hexdigest()[:16]}.so"  # its own name: a loaded one stays loaded
        run("cc", *OPTIONS, "-O3", "-w", "-shared", "-fPIC", *include(folder), str(source), "-o", str(library))
        self.library = ctypes.CDLL(str(library))

    def codes(self, entry, inputs):
        """The codes of an array of inputs, as 64-bit words."""
        inputs = numpy.ascontiguousarray(inputs, numpy.uint64)
        codes = numpy.empty_like(inputs)
        function = getattr(self.library, f"all_{entry.name}")
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64]
        function.restype = None
        function(inputs.ctypes.data, codes.ctypes.data, inputs.size)
        return codes
