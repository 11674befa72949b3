// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "vectors/export/export_options.hpp"
#include "vectors/export/provenance.hpp"
#include "vectors/export/test_vectors.hpp"

namespace mxcert {

/// Whether test vectors in this format are several files, with a manifest, and so a folder.
[[nodiscard]] bool is_folder(ExportFormat format);

/// Test vectors in a format: one file, or, of is_folder(), several and their manifest. `origin` and comments must be
/// one line each. Throws std::invalid_argument if the format cannot hold them.
[[nodiscard]] std::vector<ExportedFile> write_vectors(const TestVectors& vectors, ExportFormat format,
                                                      const Provenance& provenance);

// The formats.
[[nodiscard]] std::string write_json(const TestVectors& vectors, const Provenance& provenance);
[[nodiscard]] std::string write_csv(const TestVectors& vectors);
[[nodiscard]] std::string write_c(const TestVectors& vectors);
[[nodiscard]] std::string write_rust(const TestVectors& vectors);
[[nodiscard]] std::vector<ExportedFile> write_npy(const TestVectors& vectors);
[[nodiscard]] std::vector<ExportedFile> write_hex(const TestVectors& vectors);
[[nodiscard]] std::vector<ExportedFile> write_sv(const TestVectors& vectors);
/// Only conversions for which RISC-V has an instruction: those between E4M3 or E5M2 and BF16, and from FP32.
[[nodiscard]] std::string write_riscv_asm(const TestVectors& vectors);

} // namespace mxcert
