// SPDX-License-Identifier: Apache-2.0
// The operation "hadamard". A group is a test of its own, as hardware is fed; matrices show which values form a group.
#include <algorithm>
#include <optional>

#include "conformance/export/cases.hpp"
#include "conformance/export/operation_vectors.hpp"
#include "conformance/suites/hadamard/cases.hpp"
#include "conformance/suites/hadamard/expected.hpp"
#include "conformance/suites/hadamard/way.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::test_vectors {
namespace {

using recipe::HadamardValue;
using suites::TileCase;

constexpr std::uint64_t hadamard_seed = 1;
constexpr std::int64_t most_codes = 8; ///< of a value that are listed, not written as a range

class HadamardVectors {
  public:
    HadamardVectors(const Operation& operation, const Profile& profile)
        : transform_(as_hadamard(operation)), expected_(transform_.transform, *transform_.source, *transform_.target),
          collection_(head(operation, profile)) {}

    TestVectors take() {
        suites::for_each_single_case(transform_, Level::smoke, hadamard_seed, adder("places"));
        suites::for_each_group_size_case(transform_, Level::smoke, adder("places"));
        suites::for_each_sum_case(transform_, Level::smoke, hadamard_seed, adder("sums"));
        suites::for_each_inexact_case(transform_, Level::smoke, hadamard_seed, adder("values"));
        return collection_.take();
    }

  private:
    [[nodiscard]] TestVectors head(const Operation& operation, const Profile& profile) const {
        TestVectors vectors = head_of(operation, profile);
        vectors.sizes = {"rows", "columns"};
        vectors.inputs = {{"values", transform_.source}};
        vectors.outputs = {{"transformed", transform_.target}};
        return vectors;
    }

    [[nodiscard]] suites::CallTileCase adder(std::string_view part) {
        return [this, part](const TileCase& matrix_case) {
            if (matrix_case.tiles.empty()) {
                add(part, matrix_case);
                return true;
            }
            for (std::uint64_t group = 0; group < matrix_case.matrix.blocks(); ++group)
                add(part, {matrix_case.title(group),
                           {},
                           {matrix_case.matrix.block(group).size, matrix_case.matrix.shape},
                           matrix_case.values_of(group)});
            return true;
        };
    }

    void add(std::string_view part, const TileCase& tile_case) {
        if (tile_case.values.size() > most_values)
            return collection_.leave_out("matrices too large to be written down");
        TestVector test;
        test.comment = tile_case.name;
        test.inputs = {tile_case.values};
        VectorAnswer& answer = test.answers.emplace_back();
        answer.outputs = {std::vector<Code>(tile_case.values.size())};
        std::vector<HadamardValue> permitted(tile_case.values.size());
        for (std::uint64_t group = 0; group < tile_case.matrix.blocks(); ++group) {
            const std::vector<HadamardValue> values = expected_.of(tile_case.values_of(group));
            std::size_t lane = 0;
            for_each_place(tile_case.matrix, group, [&](std::uint64_t place) { permitted[place] = values[lane++]; });
        }
        for (std::size_t place = 0; place < permitted.size(); ++place) {
            const std::optional<PermittedValue> value = value_of(permitted[place]);
            if (!value) return collection_.leave_out("a range of right values with Inf or NaN among them");
            set_value(answer, 0, place, *value);
        }
        for (const suites::HadamardFault& fault : suites::hadamard_faults()) {
            suites::HadamardWay way = suites::right_way(transform_);
            fault.plant(way);
            const std::vector<Code> wrong = suites::values_by(transform_, way, tile_case);
            for (std::size_t place = 0; place < permitted.size(); ++place)
                if (!permitted[place].permits(*transform_.target, wrong[place])) {
                    add_bug(test.bugs, fault.bug_class);
                    break;
                }
        }
        const Extent& extent = tile_case.matrix.values;
        collection_.add(part, {extent.rows, extent.columns}, std::move(test));
    }

    /// The codes, or the range, that an answer may have; nothing where neither says it.
    [[nodiscard]] std::optional<PermittedValue> value_of(const HadamardValue& value) const {
        const Format& target = *transform_.target;
        Permit permit;
        permit.any_nan = value.nan;
        if (value.number && target.ordinal(value.high) - target.ordinal(value.low) <= most_codes) {
            for (std::int64_t at = target.ordinal(value.low); at <= target.ordinal(value.high); ++at)
                for (const Code code : codes_at(at))
                    if (value.permits(target, code)) permit.codes.push_back(code);
        } else if (value.number) {
            // A range has both zeros or none.
            const bool splits_zero = value.permits(target, 0) != value.permits(target, target.sign_bit());
            if (value.plus_inf || value.minus_inf || value.nan || splits_zero) return std::nullopt;
            return range_value(value.high, value.low, value.high);
        }
        if (value.plus_inf) permit.codes.push_back(target.inf_code());
        if (value.minus_inf) permit.codes.push_back(target.inf_code() | target.sign_bit());
        std::sort(permit.codes.begin(), permit.codes.end());
        permit.codes.erase(std::unique(permit.codes.begin(), permit.codes.end()), permit.codes.end());
        return test_vectors::value_of(permit, target);
    }

    /// The codes of a place among the values: both zeros of 0.
    [[nodiscard]] std::vector<Code> codes_at(std::int64_t ordinal) const {
        const Format& target = *transform_.target;
        if (ordinal == 0) return {0, target.sign_bit()};
        return {ordinal > 0 ? static_cast<Code>(ordinal) : static_cast<Code>(-ordinal) | target.sign_bit()};
    }

    HadamardTransform transform_;
    suites::HadamardExpected expected_;
    Collection collection_;
};

} // namespace

TestVectors hadamard_vectors(const Operation& operation, const Profile& profile, verdict::GoldenSource& /*golden*/) {
    return HadamardVectors(operation, profile).take();
}

} // namespace mxcert::test_vectors
