#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes one archive of all vectors: golden files, test vectors as JSON, schemas, readers, a manifest and checksums.

The same sources give the same bytes: names are sorted, times are those of the vector set, owners are 0."""

import argparse
import concurrent.futures
import datetime
import fnmatch
import gzip
import hashlib
import io
import itertools
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WIDE = ("fp64", "fp32", "fp16", "bf16")
ELEMENTS = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "int8")
LAYOUTS = ("padded_128x4", "padded_4x128", "swizzle_128x4", "swizzle_128x4_columnwise")
MATMULS = (
    "e4m3-e4m3-none-none-none-tn-fp32-fp32-hopper_fp8_f32-given", "e4m3-e4m3-none-none-none-tn-none-fp32-fp32_fma-given",
    "e5m2-e4m3-none-none-none-nt-none-fp32-exact-given", "e4m3-e5m2-e8m0-1x32-32x1-nn-none-bf16-exact-given",
    "e4m3-e4m3-e8m0-1x32-32x1-nn-fp32-fp32-fp32_multiply_add-any", "e4m3-e4m3-e8m0-1x32-32x1-tn-none-fp32-blackwell_mxf8f6f4-given",
    "e4m3-e4m3-fp32-1x128-128x128-nt-none-fp32-fp32_fma-any", "e2m1-e2m1-ue4m3-1x16-16x1-nn-none-fp32-blackwell_mxf4nvf4-given",
)
SCALED_MATMULS = (
    "e4m3-e4m3-tensor-nt-bf16-product-bf16-none-none-hopper_fp8_f32", "e5m2-e4m3-line-nn-fp32-in_turn-fp32-none-none-exact",
    "e4m3-e4m3-tensor-nt-none-product-e4m3-fp32-fp32-fp32_multiply_add", "e2m1-e2m1-nvfp4-nt-none-product-bf16-none-none-blackwell_mxf4nvf4",
)
TILES = ("bf16-e4m3-e8m0-rceil-nearest_even-sat-32x32", "fp32-e5m2-e8m0-rceil-nearest_even-sat-32x32")
HADAMARDS = ("bf16-bf16-D7E8-row-forward", "bf16-bf16-D7E8-column-inverse", "bf16-fp32-D7E8-row-forward")
PARTIAL_CASTS = ("bf16-e4m3-fp32-128x128-16x128", "bf16-e4m3-e8m0-1x32-kept", "bf16-e4m3-e8m0-32x1-kept", "fp32-e2m1-nvfp4-16x16-kept")
LINEARS = (
    "bf16-te_mxfp8-fprop-e4m3-e4m3-e8m0-none-none-fp32-blackwell_mxf8f6f4-given",
    "bf16-te_mxfp8_hybrid-wgrad-e5m2-e4m3-e8m0-none-fp32-fp32-fp32_multiply_add-given",
    "bf16-deepseek_v3-dgrad-e4m3-e4m3-fp32-none-none-fp32-fp32_fma-given",
    "bf16-te_nvfp4-fprop-e2m1-e2m1-ue4m3-none-none-bf16-blackwell_mxf4nvf4-given",
    "bf16-te_nvfp4_hadamard-wgrad-e2m1-e2m1-ue4m3-none-none-fp32-blackwell_mxf4nvf4-given",
)
NVFP4 = ("te_nvfp4", "torchao_nvfp4", "modelopt_nvfp4")


def conversion_of(golden):
    """Of a golden file, the conversion that is written as JSON."""
    target = golden.split("-")[1]
    if target.startswith("e8m0_for_"):
        return golden + "-ocp_floor-sat"
    return golden + ("-nearest_even-nosat" if target in WIDE else "-nearest_even-sat")


def exports():
    """Every export: the option that names it, and its name."""
    for file in sorted((ROOT / "vectors/golden").glob("*.csv")):
        yield "--conversion", conversion_of(file.stem)
    for element, source in itertools.product(ELEMENTS, ("bf16", "fp16", "fp32")):
        for rule in ("ocp_floor", "rceil") if element in ("e4m3", "e5m2") else ("ocp_floor",):
            yield "--operation", f"quantize-{source}-{element}-e8m0-{rule}-nearest_even-sat-row-32"
    for element, target in itertools.product(ELEMENTS, ("bf16", "fp32")):
        yield "--operation", f"dequantize-{element}-e8m0-{target}-row-32"
    for source, recipe, block in (("fp32", "absmax", "1x32"), ("bf16", "deepgemm", "1x128"), ("fp32", "te_float8_block", "1x128")):
        yield "--operation", f"quantize_float-{source}-e4m3-fp32-{recipe}-{block}"
        yield "--operation", f"dequantize_float-e4m3-fp32-{source}-{block}"
    for recipe in NVFP4:
        yield "--operation", f"quantize_nvfp4-bf16-{recipe}-1x16-decode"
        yield "--operation", f"dequantize_nvfp4-{recipe}-bf16-1x16"
    for tiles in TILES:
        yield "--operation", f"quantize_2d-{tiles}"
    for transform in HADAMARDS:
        yield "--operation", f"hadamard-{transform}"
    for cast in PARTIAL_CASTS:
        yield "--operation", f"partial_cast-{cast}"
    for layer in LINEARS:
        yield "--operation", f"linear-{layer}"
    for layout, direction in itertools.product(LAYOUTS, ("arrange", "restore")):
        yield "--operation", f"layout-{layout}-{direction}"
    for product in MATMULS:
        yield "--operation", f"matmul-{product}"
    for product in SCALED_MATMULS:
        yield "--operation", f"scaled_matmul-{product}"
    for file in sorted((ROOT / "vectors/traces").glob("*.csv")):
        yield "--operation", f"scaling-{file.stem}"


def export(program, option, name):
    done = subprocess.run([program, "vectors", "export", "--format", "json", option, name], capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} vectors export {option} {name} ended with {done.returncode}: {done.stderr.decode().strip()}")
    return f"json/{name}.json", done.stdout


def contents(program, only):
    """The files of the archive by their names."""
    files = {"LICENSE": (ROOT / "LICENSE").read_bytes()}
    for folder, pattern, source in (("golden", "*", "vectors/golden"), ("traces", "*.csv", "vectors/traces"),
                                    ("percentiles", "*.csv", "vectors/percentiles"),
                                    ("products", "*.csv", "vectors/products"),
                                    ("given_bits", "*.csv", "vectors/given_bits"),
                                    ("schema", "vectors-1.json", "conformance/schema"),
                                    ("schema", "export-1.json", "conformance/schema"),
                                    ("schema", "archive-1.json", "conformance/schema"),
                                    ("readers", "*", "docs/examples/readers"), ("doc", "vectors.md", "docs")):
        for file in (ROOT / source).glob(pattern):
            if file.is_file():
                files[f"{folder}/{file.name}"] = file.read_bytes()
    wanted = [item for item in exports() if any(fnmatch.fnmatch(item[1], pattern) for pattern in only)]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        files.update(pool.map(lambda item: export(program, *item), wanted))
    return files


def manifest(files):
    """Of any JSON export the vector set and the tool; of each file its bytes."""
    example = json.loads(next(files[name] for name in sorted(files) if name.startswith("json/")))
    head = {"schema": "mxcert-archive-1", "tool": example["tool"], "vectors": example["vectors"], "date": example["date"],
            "license": example["license"]}
    if "homepage" in example:
        head["homepage"] = example["homepage"]
    head["files"] = []
    for name in sorted(files):
        entry = {"file": name, "bytes": len(files[name]), "sha256": hashlib.sha256(files[name]).hexdigest()}
        if name.startswith("json/"):
            subject = json.loads(files[name])["subject"]
            entry |= {"kind": subject["kind"], "profile": subject["profile"]["name"], "choices": subject["choices"]}
        head["files"].append(entry)
    return head


def archive(files, folder, date):
    """A compressed archive of a folder of these files."""
    moment = int(datetime.datetime.fromisoformat(date).replace(tzinfo=datetime.timezone.utc).timestamp())
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted(files):
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size = len(files[name])
            entry.mtime = moment
            entry.mode = 0o644
            tar.addfile(entry, io.BytesIO(files[name]))
    return gzip.compress(packed.getvalue(), compresslevel=9, mtime=moment)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the archive and SHA256SUMS are written")
    parser.add_argument("--program", required=True, help="mxcert")
    parser.add_argument("--only", action="append", help="globs over the names of exports; without it all")
    arguments = parser.parse_args()
    files = contents(arguments.program, arguments.only or ["*"])
    head = manifest(files)
    files["manifest.json"] = (json.dumps(head, indent=1) + "\n").encode()
    sums = "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    files["SHA256SUMS"] = sums.encode()
    folder = f"mxcert-vectors-{head['vectors']}"
    packed = archive(files, folder, head["date"])
    arguments.folder.mkdir(parents=True, exist_ok=True)
    name = folder + ".tar.gz"
    (arguments.folder / name).write_bytes(packed)
    digest = hashlib.sha256(packed).hexdigest()
    (arguments.folder / "SHA256SUMS").write_text(f"{digest}  {name}\n")
    print(f"{arguments.folder / name}: {len(files)} files, {len(packed)} bytes, SHA-256 {digest}")


if __name__ == "__main__":
    main()
