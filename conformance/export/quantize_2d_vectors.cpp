// SPDX-License-Identifier: Apache-2.0
// The operation "quantize_2d". A tile that nothing joins to others is a test of its own; what joins tiles is a test of
// a whole matrix.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "conformance/cases/small_cases.hpp"
#include "conformance/export/cases.hpp"
#include "conformance/export/operation_vectors.hpp"
#include "conformance/export/quantizer_rules.hpp"
#include "conformance/suites/blocks/ask.hpp"
#include "conformance/suites/blocks/table_cases.hpp"
#include "conformance/suites/quantize_2d/faults.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::test_vectors {
namespace {

using suites::TileCase;

/// Values of all tiles of a part together: of large tiles some are left out.
constexpr std::uint64_t most_values_of_part = 1U << 14U;

/// One tile of a matrix as a matrix.
TileCase tile_of(const TileCase& matrix_case, std::uint64_t tile, std::string name) {
    return {std::move(name),
            {},
            {matrix_case.matrix.block(tile).size, matrix_case.matrix.shape},
            matrix_case.values_of(tile)};
}

class Quantize2dVectors {
  public:
    Quantize2dVectors(const Operation& operation, const Profile& profile, verdict::GoldenSource& golden)
        : quantize_(as_quantize_2d(operation)), rules_(quantize_.quantize, profile, golden),
          collection_(head(operation, profile)) {}

    TestVectors take() {
        if (quantize_.tile.rows * quantize_.tile.columns > most_values)
            throw std::invalid_argument(
                fmt::format("a tile of {} is too large to be written down", text(quantize_.tile)));
        const std::vector<TileCase> scales = scale_tiles();
        const std::vector<TileCase> elements = element_tiles();
        const std::vector<TileCase> blocks = block_cases();
        std::vector<Code> pairs;
        for (const auto* part : {&elements, &blocks})
            for (const TileCase& tile_case : *part)
                for (std::uint64_t tile = 0; tile < tile_case.matrix.blocks(); ++tile)
                    rules_.add_pairs(tile_case.values_of(tile), pairs);
        rules_.expect(std::move(pairs));
        for (const TileCase& tile_case : scales) add("scale", tile_case, false);
        for (const TileCase& tile_case : elements) add("elements", tile_case, true);
        for (const TileCase& tile_case : blocks) add("blocks", tile_case, true);
        return collection_.take();
    }

  private:
    [[nodiscard]] TestVectors head(const Operation& operation, const Profile& profile) const {
        TestVectors vectors = head_of(operation, profile);
        vectors.origin = rules_.origin();
        vectors.choices = rules_.choices();
        vectors.sizes = {"rows", "columns"};
        vectors.inputs = {{"values", quantize_.quantize.format.value}};
        for (const std::string direction : {"along_rows", "along_columns"}) {
            vectors.outputs.push_back({"elements_" + direction, quantize_.quantize.element.to});
            vectors.outputs.push_back({"scales_" + direction, &rules_.scales()});
        }
        return vectors;
    }

    [[nodiscard]] std::size_t most_tiles() const {
        return std::max<std::size_t>(most_values_of_part / (quantize_.tile.rows * quantize_.tile.columns), 16);
    }

    /// Tiles of these amaxes, spread evenly over those at the ends of every step of the scale if there are too many.
    [[nodiscard]] std::vector<TileCase> scale_tiles() {
        std::vector<Code> amaxes = rules_.scale_amaxes();
        if (amaxes.size() > most_tiles()) {
            const std::size_t all = amaxes.size();
            const std::vector<Code> showing = rules_.showing_amaxes();
            amaxes = cases::thinned(amaxes, most_tiles());
            amaxes.insert(amaxes.end(), showing.begin(), showing.end());
            std::sort(amaxes.begin(), amaxes.end());
            amaxes.erase(std::unique(amaxes.begin(), amaxes.end()), amaxes.end());
            for (std::size_t number = amaxes.size(); number < all; ++number)
                collection_.leave_out("tiles of an amax beyond the first and last of every step of some scales");
        }
        std::vector<TileCase> tiles;
        suites::for_each_amax_case(quantize_, amaxes, [&](const TileCase& matrix_case) {
            for (std::uint64_t tile = 0; tile < matrix_case.matrix.blocks(); ++tile)
                tiles.push_back(tile_of(matrix_case, tile, amax_name(matrix_case.values_of(tile))));
            return true;
        });
        return tiles;
    }

    /// Both sides of every boundary of the elements, and neighbours at a distance of one bit, under few scales.
    [[nodiscard]] std::vector<TileCase> element_tiles() const {
        std::vector<TileCase> tiles;
        if (quantize_.tile == BlockShape{1, 1}) return tiles;
        const Format& by_scale = *quantize_.quantize.element.from;
        const std::vector<Code> amax_of_scale = rules_.amax_of_few_scales();
        const std::vector<Code> pairs = rules_.boundary_pairs(amax_of_scale);
        for (Code scale = 0; scale < amax_of_scale.size(); ++scale) {
            const Code amax = amax_of_scale[scale];
            if (amax == suites::no_amax) continue;
            std::vector<Code> values;
            for (const Code pair : pairs)
                if (by_scale.scale_of(pair) == scale) values.push_back(by_scale.value_of(pair));
            suites::for_each_value_case(
                quantize_, {amax}, [&](Code /*amax*/) { return values; },
                [&](const TileCase& matrix_case) {
                    for (std::uint64_t tile = 0; tile < matrix_case.matrix.blocks(); ++tile)
                        tiles.push_back(
                            tile_of(matrix_case, tile, fmt::format("elements under the scale 0x{:02X}", scale)));
                    return true;
                });
        }
        return tiles;
    }

    [[nodiscard]] std::string amax_name(const std::vector<Code>& values) const {
        const Format& format = *quantize_.quantize.format.value;
        Code amax = 0;
        for (const Code value : values) amax = std::max(amax, value & format.magnitude_mask());
        return "the scale of an amax of " + code_text(format, amax);
    }

    /// Tiles that are each about something, of a kind evenly spread if there are too many, and matrices.
    [[nodiscard]] std::vector<TileCase> block_cases() {
        std::vector<std::pair<std::string, std::vector<TileCase>>> kinds;
        std::vector<TileCase> matrices;
        suites::for_each_tile_case(quantize_, [&](const TileCase& matrix_case) {
            if (matrix_case.tiles.empty()) {
                matrices.push_back(matrix_case);
                return true;
            }
            const std::string kind = matrix_case.name.substr(0, matrix_case.name.find(','));
            if (kinds.empty() || kinds.back().first != kind) kinds.push_back({kind, {}});
            for (std::uint64_t tile = 0; tile < matrix_case.matrix.blocks(); ++tile)
                kinds.back().second.push_back(tile_of(matrix_case, tile, kind + ": " + matrix_case.tiles[tile]));
            return true;
        });
        const auto& [high, wide] = quantize_.tile;
        matrices.push_back(few_tiles({high + 1, 2 * wide + 1}));
        std::vector<TileCase> written;
        for (auto& [kind, tiles] : kinds) {
            std::vector<Code> numbers;
            for (std::uint64_t number = 0; number < tiles.size(); ++number) numbers.push_back(number);
            if (numbers.size() > most_tiles()) numbers = cases::thinned(numbers, most_tiles());
            for (const Code number : numbers) written.push_back(std::move(tiles[number]));
            for (std::size_t number = numbers.size(); number < tiles.size(); ++number)
                collection_.leave_out("places between others");
        }
        for (TileCase& matrix_case : matrices)
            if (matrix_case.values.size() <= most_values)
                written.push_back(std::move(matrix_case));
            else
                collection_.leave_out("matrices too large to be written down");
        return written;
    }

    /// A matrix whose tiles tell their place: two rows of three tiles, which the suite has with large tails alone.
    [[nodiscard]] TileCase few_tiles(const Extent& extent) const {
        const suites::TileMaker maker(*quantize_.quantize.format.value, quantize_.tile);
        TileCase tile_case = maker.of_size(suites::size_name(extent), extent);
        maker.fill_telling(tile_case);
        return tile_case;
    }

    /// A case as a test. `with_elements`: its elements say which of the bugs of single values it shows.
    void add(std::string_view part, const TileCase& tile_case, bool with_elements) {
        const Extent& extent = tile_case.matrix.values;
        std::vector<VectorAnswer> answers(1);
        for (const Extent& scales : {quantize_.row_scales(extent), quantize_.column_scales(extent)}) {
            answers.front().outputs.emplace_back(count(extent, "values"));
            answers.front().outputs.emplace_back(count(scales, "scales"));
        }
        TestVector test;
        test.comment = tile_case.name;
        for (std::uint64_t tile = 0; tile < tile_case.matrix.blocks(); ++tile) {
            const std::vector<Code> values = tile_case.values_of(tile);
            const std::vector<Code> right = rules_.scales_of(values);
            if (tile_case.matrix.blocks() != 1 && right.size() != 1)
                return collection_.leave_out("matrices of tiles for which several scales are right");
            answers.resize(std::max(answers.size(), right.size()), answers.front());
            for (std::size_t number = 0; number < right.size(); ++number)
                fill(answers[number], tile_case, tile, right[number]);
            rules_.note(test, values, right, with_elements);
        }
        test.answers = std::move(answers);
        for (const suites::TileFault& fault : suites::tile_faults())
            if (shows(test.answers, tile_case, fault)) add_bug(test.bugs, fault.bug_class);
        test.inputs = {tile_case.values};
        collection_.add(part, {extent.rows, extent.columns}, std::move(test));
    }

    void fill(VectorAnswer& answer, const TileCase& tile_case, std::uint64_t tile, Code scale) const {
        const Extent of_rows = quantize_.row_scales(tile_case.matrix.values);
        const Extent of_columns = quantize_.column_scales(tile_case.matrix.values);
        const std::uint64_t columns = tile_case.matrix.values.columns;
        for_each_place(tile_case.matrix, tile, [&](std::uint64_t place) {
            const std::uint64_t row = place / columns;
            const std::uint64_t column = place % columns;
            const PermittedValue element = rules_.element(scale, tile_case.values[place]);
            for (const std::size_t output : {0U, 2U}) set_value(answer, output, place, element);
            answer.outputs[1][row * of_rows.columns + column / quantize_.tile.columns] = scale;
            answer.outputs[3][row / quantize_.tile.rows * of_columns.columns + column] = scale;
        });
    }

    /// Whether a wrong way gives none of the right answers.
    [[nodiscard]] bool shows(const std::vector<VectorAnswer>& answers, const TileCase& tile_case,
                             const suites::TileFault& fault) const {
        return std::none_of(answers.begin(), answers.end(), [&](const VectorAnswer& answer) {
            suites::TileSeen seen{tile_case, {}};
            for (std::size_t output = 0; output < answer.outputs.size(); ++output)
                seen.outputs.push_back(frames::values_of(
                    answer.outputs[output], output % 2 == 0 ? *quantize_.quantize.element.to : rules_.scales()));
            return suites::explains(quantize_, rules_.rules(), fault, seen);
        });
    }

    Quantize2d quantize_;
    QuantizerRules rules_;
    Collection collection_;
};

} // namespace

TestVectors quantize_2d_vectors(const Operation& operation, const Profile& profile, verdict::GoldenSource& golden) {
    return Quantize2dVectors(operation, profile, golden).take();
}

} // namespace mxcert::test_vectors
