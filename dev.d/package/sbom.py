# SPDX-License-Identifier: Apache-2.0
"""The bill of materials of the wheel: what of others' code is in its programs and libraries (CycloneDX 1.6, PEP 770)."""
import datetime
import importlib.metadata
import json
import platform
import subprocess
import uuid

# Debian package -> what it is upstream: name, licence (SPDX), and how it is inside.
LIBRARIES = {
    "libboost1.74-dev": ("Boost", "BSL-1.0", "headers"),
    "libcli11-dev": ("CLI11", "BSD-3-Clause", "headers"),
    "libfccp-dev": ("fast-cpp-csv-parser", "BSD-3-Clause", "headers"),
    "libfmt-dev": ("fmt", "MIT", "headers"),
    "nlohmann-json3-dev": ("nlohmann-json", "MIT", "headers"),
    "libpugixml-dev": ("pugixml", "MIT", "static library"),
    "libssl-dev": ("OpenSSL libcrypto", "Apache-2.0", "static library"),
    "zlib1g-dev": ("zlib", "Zlib", "static library"),
    "libstdc++-12-dev": ("GCC libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1", "static library"),
    "libgcc-12-dev": ("GCC libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1", "static library"),
}


# Names of Debian for architectures.
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}


def installed(package, architecture):
    """Name, architecture and version of the Debian package that a build for an architecture takes: its own, that of the cross
    compiler, or, of headers, that of this machine."""
    debian = DEBIAN[architecture]
    for name in (f"{package}:{debian}", f"{package}-{debian}-cross:all", f"{package}:{DEBIAN[platform.machine()]}", f"{package}:all"):
        done = subprocess.run(["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Package} ${Architecture} ${Version}", name],
                              check=False, text=True, capture_output=True)
        status, *found = done.stdout.split() or [""]
        if status == "installed":
            return found
    raise SystemExit(f"dev: no Debian package {package} is installed for {architecture}")


def upstream(version):
    """1:3.0.19-1~deb12u2 -> 3.0.19"""
    return version.split(":")[-1].rsplit("-", 1)[0].split("+")[0].removesuffix(".dfsg")


def components(architecture):
    for package, (name, licence, how) in LIBRARIES.items():
        debian, of, version = installed(package, architecture)
        yield {
            "type": "library",
            "bom-ref": package,
            "name": name,
            "version": upstream(version),
            "licenses": [{"expression": licence}],
            "purl": f"pkg:deb/debian/{debian}@{version.replace(':', '%3A').replace('+', '%2B')}?arch={of}",
            "properties": [{"name": "mxcert:inside", "value": how}],
        }
    version = importlib.metadata.version("ziglang")
    yield {
        "type": "library",
        "bom-ref": "ziglang",
        "name": "LLVM libunwind and compiler-rt, start files of glibc 2.28, as zig builds them",
        "version": version,
        "licenses": [{"expression": "Apache-2.0 WITH LLVM-exception AND LGPL-2.1-or-later"}],
        "purl": f"pkg:pypi/ziglang@{version}",
        "properties": [{"name": "mxcert:inside", "value": "static library"}],
    }


def bill(version, epoch, architecture):
    """As text, the same for the same packages."""
    parts = list(components(architecture))
    own = f"pkg:pypi/mxcert@{version}"
    identity = json.dumps([own, [(part["bom-ref"], part["version"]) for part in parts]])
    when = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, identity)}",
        "version": 1,
        "metadata": {
            "timestamp": when,
            "component": {"type": "application", "bom-ref": "mxcert", "name": "mxcert", "version": version,
                          "licenses": [{"expression": "Apache-2.0"}], "purl": own},
        },
        "components": parts,
        "dependencies": [{"ref": "mxcert", "dependsOn": [part["bom-ref"] for part in parts]}],
    }
    return json.dumps(document, indent=2) + "\n"
