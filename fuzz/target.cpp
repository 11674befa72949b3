// SPDX-License-Identifier: Apache-2.0
#include "fuzz/target.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace mxcert::fuzz {
namespace {

// A function's static, so that it exists before the first registration, whatever the order of the files.
std::vector<Target>& targets() {
    static std::vector<Target> all;
    return all;
}

[[noreturn]] void broken(std::string_view promise, const std::string& how) {
    std::fprintf(stderr, "broken promise: %.*s%s\n", static_cast<int>(promise.size()), promise.data(), how.c_str());
    std::abort();
}

} // namespace

Target::Target(std::string_view target_name, Run target_run, Form target_form)
    : name(target_name), run(target_run), form(target_form) {
    targets().push_back(*this);
}

const Target* find_target(std::string_view name) {
    const auto at = std::find_if(targets().begin(), targets().end(),
                                 [name](const Target& target) { return name.empty() || target.name == name; });
    return at == targets().end() ? nullptr : &*at;
}

void require(bool kept, std::string_view promise) {
    if (!kept) broken(promise, "");
}

void require_same(std::string_view actual, std::string_view wanted, std::string_view promise) {
    if (actual == wanted) return;
    const auto [a, b] = std::mismatch(actual.begin(), actual.end(), wanted.begin(), wanted.end());
    constexpr std::size_t shown = 80;
    const auto at = static_cast<std::size_t>(a - actual.begin());
    broken(promise, ": at byte " + std::to_string(at) + " '" + std::string(actual.substr(at, shown)) + "', not '" +
                        std::string(wanted.substr(static_cast<std::size_t>(b - wanted.begin()), shown)) + "'");
}

std::string_view take_line(std::string_view& input) {
    const std::string_view line = input.substr(0, input.find('\n'));
    input.remove_prefix(std::min(input.size(), line.size() + 1));
    return line;
}

} // namespace mxcert::fuzz
