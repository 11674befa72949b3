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
void convert_values(const Format& from, const Format& to, const Choices& choices, const void* in,
                    const RandomBits& random, void* out, std::uint64_t first, std::size_t count) {
    const auto* source = static_cast<const unsigned char*>(in);
    if (from.width() < 8)
        if (const std::optional<std::size_t> wrong = find_no_code(from, {source, count}))
            throw std::invalid_argument(
                fmt::format("value {} is 0x{:02X}: no code of {}", first + *wrong, source[*wrong], from.name));
    if (fast::offers(from, to, choices))
        return fast::convert_span(from, to, choices, in, random.values, out, count, random.bits);
    auto* target = static_cast<unsigned char*>(out);
    for (std::size_t i = 0; i < count; ++i, source += from.bytes(), target += to.bytes()) {
        const exact::Random bits{random.bits, random.values == nullptr ? 0 : random.values[i]};
        fast::store(target, to.bytes(), exact::convert(from, to, choices, fast::load(source, from.bytes()), bits).code);
    }
}

void check_single_values(const Format& format) {
    if (format.scale != nullptr || format.element != nullptr)
        throw std::invalid_argument(fmt::format("{} is a format of blocks: use quantize", format.name));
}

void convert_tensor(const TensorFile& tensor, const Format& to, const Choices& choices,
                    const std::filesystem::path& path, const TensorRun& run) {
    const Format& from = *tensor.info().format;
    if (is_stochastic(choices.rounding)) throw std::invalid_argument("a stochastic rounding needs random bits");
    check_single_values(to);
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
        convert_values(from, to, choices, in.data(), {}, out.data(), first, count);
        output.write(0, first, count, out.data());
        done += count;
        if (run.progress != nullptr) run.progress->update(done);
    });
    output.finish();
}

} // namespace mxcert::tensors
