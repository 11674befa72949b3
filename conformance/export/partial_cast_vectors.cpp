// SPDX-License-Identifier: Apache-2.0
// The operation "partial_cast": values under given scales, a block each, and shards of small matrices.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "conformance/export/cases.hpp"
#include "conformance/export/operation_vectors.hpp"
#include "conformance/suites/matrices/tile_cases.hpp"
#include "conformance/suites/partial_cast/cases.hpp"
#include "conformance/suites/partial_cast/scales.hpp"
#include "conformance/suites/partial_cast/way.hpp"
#include "reference/code_text.hpp"
#include "reference/exact/recipe/partial_cast.hpp"
#include "reference/fast/recipe/partial_cast.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::test_vectors {
namespace {

using formats::fp32;
using recipe::GivenScale;
using recipe::PartialCast;
using suites::ShardCase;

constexpr std::uint64_t shard_seed = 1;
constexpr std::uint64_t many_shards = 512; ///< elements of a matrix from which on few of its shards are tests

class PartialCastVectors {
  public:
    PartialCastVectors(const Operation& operation, const Profile& profile)
        : cast_(as_partial_cast(operation)), collection_(head(operation, profile)) {}

    TestVectors take() {
        add_scales();
        for (const auto& [extent, few, every] : matrices()) {
            std::uint64_t number = 0;
            suites::for_each_shard(cast_, extent, few, [&, every = every](const ShardCase& shard_case) {
                if (number++ % every == 0)
                    add("shards", shard_case);
                else
                    collection_.leave_out("shards between others");
                return true;
            });
        }
        return collection_.take();
    }

  private:
    [[nodiscard]] TestVectors head(const Operation& operation, const Profile& profile) const {
        TestVectors vectors = head_of(operation, profile);
        vectors.sizes = {"rows", "columns", "first", "count"};
        vectors.inputs = {{"values", cast_.source}, {"before", cast_.element}, {"scales", &format_of(cast_.scale)}};
        if (cast_.scale == GivenScale::nvfp4) vectors.inputs.push_back({"encode_scale", &fp32});
        vectors.outputs = {{"elements", cast_.element}};
        return vectors;
    }

    /// A matrix, and which of its shards are tests.
    struct ShardMatrix {
        Extent extent;
        bool few = false;        ///< as for_each_shard() has it
        std::uint64_t every = 1; ///< one in so many of these
    };
    /// Those of the suite that can be written down. A block that cannot is cut: 20 rows, and a few columns of the next.
    [[nodiscard]] std::vector<ShardMatrix> matrices() const {
        constexpr std::uint64_t few_rows = 20;
        constexpr std::uint64_t few_columns = 9;
        constexpr std::uint64_t one_in = 4;
        std::vector<ShardMatrix> small;
        for (const Extent& extent : suites::tile_extents(cast_.block))
            if (const std::uint64_t elements = count(extent, "elements"); elements <= most_values)
                small.push_back({extent, elements > many_shards});
        if (cast_.block.rows * cast_.block.columns > most_values / 2)
            small.push_back({{std::min(cast_.block.rows, few_rows),
                              std::min(cast_.block.columns, most_values / few_rows - few_columns) + few_columns},
                             false,
                             one_in});
        return small;
    }

    /// A row of a block under each of few scales: values on both sides of each change of an element, and special ones.
    void add_scales() {
        const Extent row{cast_.block.columns > 1 ? 1 : std::min<std::uint64_t>(cast_.block.rows, most_values),
                         cast_.block.columns};
        const std::uint64_t lanes = count(row, "values");
        for (const Code encode_scale : suites::encode_scales(cast_, Level::smoke, shard_seed))
            for (const Code scale : suites::given_scales(cast_, Level::smoke, shard_seed)) {
                const std::vector<Code> values =
                    suites::values_under(cast_, Level::smoke, shard_seed, scale, encode_scale);
                for (std::uint64_t first = 0; first < values.size(); first += lanes) {
                    ShardCase shard_case = suites::telling_shard(cast_, scale_name(scale, encode_scale), row, 0, lanes);
                    shard_case.shard.scales.assign(shard_case.shard.scales.size(), scale);
                    shard_case.shard.encode_scale = encode_scale;
                    // What is left of the last row repeats its last value.
                    for (std::uint64_t lane = 0; lane < lanes; ++lane)
                        shard_case.shard.values[lane] =
                            values[std::min<std::uint64_t>(first + lane, values.size() - 1)];
                    add("elements", shard_case);
                }
            }
    }

    [[nodiscard]] std::string scale_name(Code scale, Code encode_scale) const {
        const std::string name = "values under the scale " + code_text(format_of(cast_.scale), scale);
        return cast_.scale == GivenScale::nvfp4 ? name + ", of a tensor of " + code_text(fp32, encode_scale) : name;
    }

    void add(std::string_view part, const ShardCase& shard_case) {
        const recipe::Shard& shard = shard_case.shard;
        if (shard.values.empty()) return collection_.leave_out("shards without an element");
        const std::vector<Code> right = exact::partial_cast(cast_, shard);
        const std::vector<Code> fast = fast::partial_cast(cast_, shard);
        const auto agree = [this](Code a, Code b) { return same(*cast_.element, a, b); };
        if (!std::equal(right.begin(), right.end(), fast.begin(), fast.end(), agree))
            throw std::logic_error("the models disagree on " + shard_case.name);
        const std::vector<bool> may_change = undefined_elements(cast_, shard);
        const auto is_open = [&](std::uint64_t at) { return !may_change.empty() && may_change[at]; };
        TestVector test;
        test.comment = shard_case.name;
        test.inputs = {shard.values, shard.before, shard.scales};
        if (cast_.scale == GivenScale::nvfp4) test.inputs.push_back({shard.encode_scale});
        VectorAnswer& answer = test.answers.emplace_back();
        answer.outputs = {std::vector<Code>(right.size())};
        for (std::uint64_t at = 0; at < right.size(); ++at)
            set_value(answer, 0, at, is_open(at) ? any_value(right[at]) : value_or_nan(right[at], *cast_.element));
        for (const suites::ShardFault& fault : suites::shard_faults()) {
            suites::ShardWay way;
            fault.plant(way);
            const std::vector<Code> wrong = suites::elements_by(cast_, way, shard_case, may_change);
            for (std::uint64_t at = 0; at < right.size(); ++at)
                // What a spill may change it does not say; outside the shard any change is wrong.
                if (!is_open(at) && (wrong[at] == suites::any_element || !agree(wrong[at], right[at]))) {
                    add_bug(test.bugs, fault.bug_class);
                    break;
                }
        }
        collection_.add(part, {shard.matrix.rows, shard.matrix.columns, shard.first, shard.values.size()},
                        std::move(test));
    }

    PartialCast cast_;
    Collection collection_;
};

} // namespace

TestVectors partial_cast_vectors(const Operation& operation, const Profile& profile,
                                 verdict::GoldenSource& /*golden*/) {
    return PartialCastVectors(operation, profile).take();
}

} // namespace mxcert::test_vectors
