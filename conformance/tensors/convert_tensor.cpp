// SPDX-License-Identifier: Apache-2.0
#include "conformance/tensors/convert_tensor.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/tensors/tensor_output.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/codes.hpp"
#include "reference/fast/convert.hpp"
#include "reference/packing.hpp"
#include "vectors/base/parallel.hpp"

namespace mxcert::tensors {
namespace {

/// The last code of a format must hold every code of a piece, which comes little-endian.
void check_codes(const Format& format, const std::vector<unsigned char>& values, std::uint64_t first) {
    if (format.width() >= 8) return;
    if (const std::optional<std::size_t> wrong = find_no_code(format, values))
        throw std::runtime_error(
            fmt::format("value {} is 0x{:02X}: no code of {}", first + *wrong, values[*wrong], format.name));
}

void convert(const Format& from, const Format& to, const Choices& choices, const std::vector<unsigned char>& in,
             std::vector<unsigned char>& out, std::size_t count) {
    if (fast::offers(from, to, choices))
        return fast::convert_span(from, to, choices, in.data(), nullptr, out.data(), count);
    const unsigned char* source = in.data();
    unsigned char* target = out.data();
    for (std::size_t i = 0; i < count; ++i, source += from.bytes(), target += to.bytes())
        fast::store(target, to.bytes(), exact::convert(from, to, choices, fast::load(source, from.bytes())).code);
}

} // namespace

void convert_tensor(const TensorFile& tensor, const Format& to, const Choices& choices,
                    const std::filesystem::path& path, const TensorRun& run) {
    const Format& from = *tensor.info().format;
    if (is_stochastic(choices.rounding)) throw std::invalid_argument("a stochastic rounding needs random bits");
    if (to.scale != nullptr || to.element != nullptr)
        throw std::invalid_argument(fmt::format("{} is a format of blocks: use quantize", to.name));
    TensorOutput output(path, {{"values", &to, tensor.info().shape}});
    const std::uint64_t values = tensor.info().values;
    const std::uint64_t pieces = values / run.most_values + (values % run.most_values != 0);
    std::atomic<std::uint64_t> done = 0;
    in_parallel(static_cast<std::size_t>(pieces), run.threads, [&](std::size_t piece) {
        const std::uint64_t first = piece * run.most_values;
        const auto count = static_cast<std::size_t>(std::min(run.most_values, values - first));
        std::vector<unsigned char> in(count * static_cast<std::size_t>(from.bytes()));
        std::vector<unsigned char> out(count * static_cast<std::size_t>(to.bytes()));
        tensor.read(first, count, in.data());
        check_codes(from, in, first);
        convert(from, to, choices, in, out, count);
        output.write(0, first, count, out.data());
        done += count;
        if (run.progress != nullptr) run.progress->update(done);
    });
    output.finish();
}

} // namespace mxcert::tensors
