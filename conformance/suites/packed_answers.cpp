// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/packed_answers.hpp"

#include <optional>
#include <utility>

namespace mxcert::suites {
namespace {

constexpr std::size_t most_answers = 64;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 14U;

} // namespace

std::string packed_as(const Packing& packing) { return "the elements packed as " + std::string(packing.name); }

void PackedAnswers::keep(const AnsweredQuestion& answered_question) {
    if ((!packing_.packs() && !layout_.lays_out()) || !answered_question.is_one || answers_.size() == most_answers ||
        !cases::can_be_given(operation_))
        return;
    const frames::RunCase& run = answered_question.last;
    if (run.shape[0] * run.shape[1] <= most_elements) answers_.push_back({run, answered_question.outputs});
}

PackedAnswers::Read PackedAnswers::read_as(const Packing& packing) const {
    return [&](frames::RunCase& run, std::vector<frames::Values>& outputs) {
        std::size_t number = 0;
        for (frames::Values* elements : packing_.elements_of(run.inputs, outputs)) {
            std::optional<frames::Values> read = packing_.read_as(packing, run, number++, *elements);
            if (!read) return false;
            *elements = std::move(*read);
        }
        return true;
    };
}

PackedAnswers::Read PackedAnswers::read_as(const ScaleLayout& layout) const {
    return [&](frames::RunCase& run, std::vector<frames::Values>& outputs) {
        for (frames::Values* scales : layout_.scales_of(run.inputs, outputs)) {
            std::optional<frames::Values> read = layout_.read_as(layout, run, *scales);
            if (!read) return false;
            *scales = std::move(*read);
        }
        return true;
    };
}

bool PackedAnswers::explains(const Read& read, const WrongIn& wrong_in) const {
    if (answers_.empty()) return false;
    const cases::CaseForm form = cases::form_of(operation_);
    std::size_t explained = 0;
    for (const Answer& answer : answers_) {
        frames::RunCase run = answer.run;
        std::vector<frames::Values> outputs = answer.outputs;
        if (!read(run, outputs)) continue;
        if (!wrong_in(cases::given_of(form, run), outputs).empty()) return false;
        ++explained;
    }
    return explained != 0;
}

std::vector<KnownFault> PackedAnswers::known_as(const WrongIn& wrong_in) const {
    std::vector<KnownFault> known;
    if (!packing_.packs() && !layout_.lays_out()) return known;
    if (explains([](auto&, auto&) { return true; }, wrong_in)) return known; // as the operation has it
    if (packing_.packs())
        for (const Packing& packing : all_packings())
            if (packing.order != PackingOrder::byte && explains(read_as(packing), wrong_in))
                known.push_back({find_bug_class("PACK_ORDER"), packed_as(packing)});
    if (!layout_.lays_out()) return known;
    std::vector<const ScaleLayout*> layouts;
    for (const ScaleLayout* layout : layout_.others())
        if (explains(read_as(*layout), wrong_in)) layouts.push_back(layout);
    for (KnownFault& fault : frames::laid_out_as(layouts)) known.push_back(std::move(fault));
    return known;
}

} // namespace mxcert::suites
