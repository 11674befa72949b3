// SPDX-License-Identifier: Apache-2.0
#include "conformance/bench/tensor_cost.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "conformance/tensors/pieces.hpp"
#include "conformance/tensors/quantize_tensor.hpp"
#include "conformance/tensors/tensor_output.hpp"
#include "reference/base/random.hpp"
#include "vectors/test/temporary_folder.hpp"

namespace mxcert {
namespace {

using namespace tensors;

constexpr double required_ratio = 0.8;
constexpr std::uint64_t side = 8192;

template <class Work> double seconds_of(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Values of some binades around 1.
void write_values(const std::filesystem::path& path) {
    TensorOutput output(path, {{"values", &formats::fp32, {side, side}}});
    SplitMix64 random(1);
    std::vector<std::uint32_t> row(side);
    for (std::uint64_t i = 0; i < side; ++i) {
        for (std::uint32_t& code : row)
            code = static_cast<std::uint32_t>((120 + random.below(14)) << 23 | (random() & 0x807FFFFF));
        output.write(0, i * side, side, row.data());
    }
    output.finish();
}

/// The same files with what was read in the place of elements and scales: nothing is computed.
void move(const TensorFile& tensor, const Quantization& how, const std::filesystem::path& to) {
    TensorOutput output(to, {{elements_name, nullptr, elements_shape(how)}, {scales_name, nullptr, scales_shape(how)}});
    for_each_piece(how, 0, nullptr, [&](const Piece& piece) {
        const std::uint64_t count = piece.size.rows * piece.size.columns;
        const std::uint64_t first = piece.first.row * side;
        std::vector<std::uint32_t> values(count);
        tensor.read(first, count, values.data());
        const std::uint64_t bytes = count * values_of(elements_shape(how)) / (side * side);
        output.write(0, first * bytes / count, bytes, values.data());
        output.write(1, first / how.block, count / how.block, values.data());
    });
    output.finish();
}

bool compare(const TemporaryFolder& folder, const TensorFile& tensor, const char* format, const char* packing) {
    Quantization how;
    how.format = &scaled_format(format);
    how.packing = &find_packing(packing);
    how.source = tensor.info().format;
    how.shape = tensor.info().shape;
    double moving = 1e9;
    double quantizing = 1e9;
    for (int i = 0; i < 5; ++i) {
        moving = std::min(moving, seconds_of([&] { move(tensor, how, folder.path() / "moved"); }));
        quantizing = std::min(quantizing,
                              seconds_of([&] { quantize_tensor(tensor, how, folder.path() / "quantized", {}, {}); }));
    }
    const double ratio = moving / quantizing;
    const bool met = ratio >= required_ratio;
    std::printf("%s, %s: 256 MiB read and written in %.3f s, quantized in %.3f s, ratio %.3f, required >= %g: %s\n",
                format, packing, moving, quantizing, ratio, required_ratio, met ? "MET" : "NOT MET");
    return met;
}

} // namespace

bool compare_tensors() {
    const TemporaryFolder folder;
    write_values(folder.path() / "values.npy");
    const TensorFile tensor(folder.path() / "values.npy", {});
    const bool fp8 = compare(folder, tensor, "mxfp8_e4m3", "bytes");
    return compare(folder, tensor, "mxfp4", "low_first") && fp8;
}

} // namespace mxcert
