// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/quantize_2d/identify.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "conformance/identify/identify_conversion.hpp"
#include "conformance/suites/blocks/judge.hpp"
#include "conformance/suites/blocks/reading.hpp"
#include "conformance/suites/quantize_2d/faults.hpp"
#include "conformance/suites/quantize_2d/judge.hpp"
#include "conformance/suites/quantize_2d/tiles.hpp"

namespace mxcert::suites {
namespace {

constexpr std::size_t scales_read = 24;            // whose elements are asked
constexpr std::uint64_t largest_asked = 1U << 20U; // values of a case that tells what a scale is made of

using TileAnswers = std::vector<std::pair<Code, Code>>;

class TileIdentifier {
  public:
    TileIdentifier(observe::Subject& subject, const Operation& operation, verdict::GoldenSource& golden)
        : subject_(subject), operation_(operation), quantize_(as_quantize_2d(operation)),
          judges_(quantize_.quantize, judging(operation), golden),
          inputs_(operation, golden, verdict::CertifyOptions()) {}

    [[nodiscard]] std::vector<Identified> find() {
        const std::vector<Code>& amaxes = inputs_.amaxes();
        TileAnswers scales;
        std::vector<Code> of_elements; // an amax of each scale that came
        diagnose::FoundBehaviour scale = read("scale", quantize_.quantize.scale, scales, [&](const auto& take) {
            for_each_amax_case(quantize_, amaxes, [&](const TileCase& tile_case) {
                return take(tile_case, [&](std::uint64_t tile, const std::vector<frames::Values>& outputs) {
                    const std::vector<Code> values = tile_case.values_of(tile);
                    const Code amax = largest_of(values);
                    const Place first = tile_case.matrix.block(tile).first;
                    const Code code =
                        direction_of(quantize_, tile_case, outputs, Axis::row).scale_at(quantize_.tile, first);
                    scales.emplace_back(amax, code);
                });
            });
        });
        for (std::size_t i = 0; i < amaxes.size(); i += amaxes.size() / scales_read + 1)
            of_elements.push_back(amaxes[i]);
        TileAnswers elements;
        const Format& scaled = *quantize_.quantize.element.from;
        const auto values_under = [&](Code amax) { return inputs_.values_under(amax); };
        diagnose::FoundBehaviour element =
            read("elements", quantize_.quantize.element, elements, [&](const auto& take) {
                for_each_value_case(quantize_, of_elements, values_under, [&](const TileCase& tile_case) {
                    return take(tile_case, [&](std::uint64_t tile, const std::vector<frames::Values>& outputs) {
                        const BlockRange range = tile_case.matrix.block(tile);
                        const TileDirection rows = direction_of(quantize_, tile_case, outputs, Axis::row);
                        for (std::uint64_t lane = 0; lane < count(range.size, "values"); ++lane) {
                            const Place place{range.first.row + lane / range.size.columns,
                                              range.first.column + lane % range.size.columns};
                            const Code code = rows.scale_at(quantize_.tile, place);
                            const std::uint64_t at = place.row * tile_case.matrix.values.columns + place.column;
                            // Under a scale that is NaN any element is permitted.
                            if (!quantize_.quantize.scale.to->is_nan(code))
                                elements.emplace_back(scaled.code_of(code, tile_case.values[at]),
                                                      rows.elements.get(at));
                        }
                    });
                });
            });
        return {std::move(scale), std::move(element), find_tiles()};
    }

  private:
    using OfTile = std::function<void(std::uint64_t tile, const std::vector<frames::Values>& outputs)>;

    [[nodiscard]] Code largest_of(const std::vector<Code>& values) const {
        Code largest = 0;
        for (const Code value : values)
            largest = std::max(largest, value & quantize_.quantize.format.value->magnitude_mask());
        return largest;
    }

    /// Asks for cases and finds the Behaviour of what was taken from their tiles.
    template <class AskAll> diagnose::FoundBehaviour read(std::string_view part, const Conversion& conversion,
                                                          const TileAnswers& answers, const AskAll& ask_all) {
        diagnose::FoundBehaviour found;
        Status status = Status::pass;
        std::string reason;
        ask_all([&](const TileCase& tile_case, const OfTile& of_tile) {
            const frames::RunAnswer answer = ask(tile_case, part);
            if (answer.status == Status::unsupported && tile_case.matrix.has_tail()) return true;
            if (answer.status != Status::pass) {
                status = answer.status;
                reason = fmt::format("{}: {}", tile_case.name, answer.reason);
                return false;
            }
            for (std::uint64_t tile = 0; tile < tile_case.matrix.blocks(); ++tile) of_tile(tile, answer.outputs);
            return true;
        });
        if (status == Status::pass) found = behaviour_of(conversion, reading_of(answers));
        found.status = status;
        found.reason = reason;
        found.sample = true;
        found.conversion = fmt::format("{}/{}", to_string(operation_), part);
        return found;
    }

    [[nodiscard]] frames::RunAnswer ask(const TileCase& tile_case, std::string_view part) {
        frames::RunCase run = run_of(quantize_, tile_case);
        run.row = part;
        return subject_.run(operation_, run);
    }

    /// Finds what a scale is made of: the profile and the fault, or none, that explain most of the cases.
    [[nodiscard]] FoundCases find_tiles() {
        FoundCases found;
        found.operation = to_string(operation_) + "/blocks";
        found.noun = "case";
        std::vector<TileSeen> seen;
        for_each_tile_case(quantize_, [&](const TileCase& tile_case) {
            if (tile_case.values.size() > largest_asked) return true;
            frames::RunAnswer answer = ask(tile_case, "blocks");
            if (answer.status == Status::unsupported) {
                found.refused.push_back(tile_case.name);
                return true;
            }
            found.status = answer.status;
            if (answer.status != Status::pass) {
                found.reason = fmt::format("{}: {}", tile_case.name, answer.reason);
                return false;
            }
            seen.push_back({tile_case, std::move(answer.outputs)});
            return true;
        });
        found.asked = seen.size();
        if (found.status != Status::pass || seen.empty()) return found;
        take_best(found, seen);
        return found;
    }

    void take_best(FoundCases& found, const std::vector<TileSeen>& seen) const {
        static constexpr TileFault right{"the values of its tile", "", seen_by_tile, seen_by_tile};
        std::vector<const TileFault*> ways{&right};
        for (const TileFault& fault : tile_faults()) ways.push_back(&fault);
        diagnose::FoundParameter& made_of = found.parameters.emplace_back();
        made_of.name = "a scale is made of";
        for (const TileFault* way : ways) {
            std::uint64_t most = 0;
            for (std::size_t profile = 0; profile < judges_.profiles.size(); ++profile)
                most = std::max(most, count_explained(*way, judges_.rules(profile), seen));
            if (way == &right || most > found.explained) {
                made_of.decided_by = way == &right ? seen.size() : most - found.explained;
                made_of.alike.clear();
                made_of.value = way->name;
                found.explained = most;
            } else {
                if (most == found.explained) made_of.alike.emplace_back(way->name);
                made_of.decided_by = std::min(*made_of.decided_by, found.explained - most);
            }
        }
        for (std::size_t profile = 0; profile < judges_.profiles.size(); ++profile) {
            std::uint64_t differing = 0;
            for (const TileSeen& tile : seen)
                differing += judge(quantize_, judges_.rules(profile), tile.asked, tile.outputs).empty() ? 0 : 1;
            found.profiles.push_back({judges_.profiles[profile]->name, differing, {}});
        }
        identify::sort_by_differing(found.profiles);
    }

    [[nodiscard]] std::uint64_t count_explained(const TileFault& way, const QuantizeRules& rules,
                                                const std::vector<TileSeen>& seen) const {
        return static_cast<std::uint64_t>(std::count_if(
            seen.begin(), seen.end(), [&](const TileSeen& tile) { return explains(quantize_, rules, way, tile); }));
    }

    observe::Subject& subject_;
    const Operation& operation_;
    Quantize2d quantize_;
    QuantizeJudges judges_;
    TileInputs inputs_;
};

} // namespace

std::vector<Identified> identify_quantize_2d(observe::Subject& subject, const Operation& operation,
                                             verdict::GoldenSource& golden) {
    return TileIdentifier(subject, operation, golden).find();
}

} // namespace mxcert::suites
