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
    if (!packing_.packs() || !answered_question.is_one || answers_.size() == most_answers) return;
    const frames::RunCase& run = answered_question.last;
    if (run.shape[0] * run.shape[1] <= most_elements) answers_.push_back({run, answered_question.outputs});
}

bool PackedAnswers::explains(const Packing& packing, const WrongIn& wrong_in) const {
    const cases::CaseForm form = cases::form_of(operation_);
    std::size_t explained = 0;
    for (const Answer& answer : answers_) {
        frames::RunCase run = answer.run;
        std::vector<frames::Values> outputs = answer.outputs;
        bool fits = true;
        std::size_t number = 0;
        for (frames::Values* elements : packing_.elements_of(run.inputs, outputs)) {
            std::optional<frames::Values> read = packing_.read_as(packing, run, number++, *elements);
            fits = read.has_value();
            if (!fits) break;
            *elements = std::move(*read);
        }
        if (!fits) continue;
        if (!wrong_in(cases::given_of(form, run), outputs).empty()) return false;
        ++explained;
    }
    return explained != 0;
}

std::vector<KnownFault> PackedAnswers::known_as(const WrongIn& wrong_in) const {
    std::vector<KnownFault> known;
    if (!packing_.packs() || explains(packing_.packing(), wrong_in)) return known;
    for (const Packing& packing : all_packings())
        if (packing.order != PackingOrder::byte && explains(packing, wrong_in))
            known.push_back({find_bug_class("PACK_ORDER"), packed_as(packing)});
    return known;
}

} // namespace mxcert::suites
