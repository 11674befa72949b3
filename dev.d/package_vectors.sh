# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by commands that make packages.

# package_vectors DIR: writes DIR/mxcert-vectors-VERSION.tar.gz, which has the golden files, test vectors as JSON, schemas and readers,
# and DIR/SHA256SUMS. The same sources give the same bytes. Needs $mxcert, as build_tool leaves it.
package_vectors() {
    python3 -B "$root/dev.d/package_vectors.py" --program "$mxcert" "$1"
}
