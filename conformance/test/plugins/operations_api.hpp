// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "conformance/backend.h"

// What the plugins of the tests have in common that offer operations and no conversions.
namespace mxcert::test {

[[nodiscard]] inline mxcert_api operations_api(const char* name, const char* description,
                                               std::span<const mxcert_operation> operations,
                                               std::int32_t (*open)(const char*),
                                               std::int32_t (*run)(const mxcert_run_args*)) {
    mxcert_api api{};
    api.struct_size = sizeof(api);
    api.abi_major = MXCERT_ABI_MAJOR;
    api.abi_minor = MXCERT_ABI_MINOR;
    api.name = name;
    api.version = "1";
    api.description = description;
    api.open = open;
    api.operation_count = static_cast<std::uint32_t>(operations.size());
    api.operations = operations.data();
    api.run = run;
    return api;
}

} // namespace mxcert::test
