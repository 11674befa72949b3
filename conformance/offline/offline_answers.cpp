// SPDX-License-Identifier: Apache-2.0
#include "conformance/offline/offline_answers.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/inputs/poison.hpp"
#include "conformance/inputs/run_length.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/print/text.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::offline {
void OfflineAnswers::fail(Status status, const std::string& reason) {
    if (!failure_) failure_ = {status, reason};
}

void OfflineAnswers::note_unwritten(const std::string& place) {
    if (unwritten_place_.empty()) unwritten_place_ = place;
}

bool OfflineAnswers::is_answer(const Step& answer, std::uint8_t poison) {
    const Format& to = *conversion_.to;
    if (answer.code <= to.last_code()) return true;
    const std::string gave =
        fmt::format("input {} gave 0x{:X}", code_text(*conversion_.from, answer.first), answer.code);
    // A file of text can have what no array could.
    if (answer.code >> (8 * to.bytes()) != 0) {
        fail(Status::error, fmt::format("{}, which is no code of {}", gave, to.name));
        return false;
    }
    const bool is_poison = answer.code == inputs::poison_code(poison, to);
    fail(Status::fail, fmt::format("{}{}bits above the {} of {} are set", gave,
                                   is_poison ? ", the poison: it was not written, or " : ": ", to.width(), to.name));
    return !is_poison;
}

void OfflineAnswers::changed(Code input, Code first, Code second) {
    fail(Status::fail,
         fmt::format("answers changed when asked again: input {} gave {} then {}", code_text(*conversion_.from, input),
                     code_text(*conversion_.to, first), code_text(*conversion_.to, second)));
}

void OfflineAnswers::hole(Code first, Code last) {
    unwritten_ += last - first + 1;
    note_unwritten("input " + code_text(*conversion_.from, first));
    if (holes_.size() < max_steps) inputs::append_step(holes_, {first, last, 0});
}

void OfflineAnswers::add_range(Code first, std::uint64_t count, std::uint8_t poison,
                               std::optional<std::span<const std::byte>> outputs) {
    const Code end = conversion_.from->last_code();
    if (!points_.empty() || observe::needs_points(conversion_) || count == 0 || first > end || count - 1 > end - first)
        throw std::runtime_error("a range that is not one of the source");
    Block block{first, count, poison, outputs.has_value(), {}};
    if (outputs) {
        inputs::encode_runs(*outputs, static_cast<unsigned>(conversion_.to->bytes()), first, block.steps);
        for (const Step& step : block.steps)
            if (!is_answer(step, poison)) {
                block.answered = false;
                block.steps.clear();
                break;
            }
    }
    const bool fresh = !ended_ && first == next_;
    if (fresh) return add_block(std::move(block));
    const auto kept = std::find_if(kept_.begin(), kept_.end(), [&](const Block& b) {
        return b.first <= first && first - b.first < b.count && count <= b.count - (first - b.first);
    });
    if (kept == kept_.end())
        throw std::runtime_error(fmt::format("{} from {} are neither the next inputs nor ones that were just asked",
                                             print::counted(count, "input"), code_text(*conversion_.from, first)));
    if (!block.answered) gaps_ = true;
    if (block.answered && kept->answered) compare(*kept, block);
}

void OfflineAnswers::add_block(Block block) {
    const Code last = block.first + block.count - 1;
    ended_ = last == conversion_.from->last_code();
    next_ = last + 1;
    if (!block.answered) gaps_ = true;
    for (const Step& step : block.steps)
        if (!irregular_) inputs::append_step(steps_, step);
    if (steps_.size() > max_steps) {
        steps_.resize(max_steps);
        irregular_ = true;
    }
    kept_.push_back(std::move(block));
    if (kept_.size() > kept_blocks) kept_.pop_front();
}

void OfflineAnswers::compare(const Block& kept, const Block& again) {
    const Format& to = *conversion_.to;
    repeated_ += again.count;
    const std::vector<Step> before = inputs::part_of(kept.steps, again.first, again.first + again.count - 1);
    for (const inputs::RunDifference& run : inputs::differing_runs(before, again.steps)) {
        // As in Asker::compare(): poison that is left in one of the two answers is enough.
        const bool left =
            run.a == inputs::poison_code(kept.poison, to) || run.b == inputs::poison_code(again.poison, to);
        if (left && kept.poison != again.poison)
            hole(run.first, run.last);
        else
            changed(run.first, run.a, run.b);
    }
}

void OfflineAnswers::compare(Asked& before, Code answer, std::uint8_t poison, bool written) {
    const Format& to = *conversion_.to;
    const bool poisoned =
        (before.got == inputs::poison_code(before.poison, to) || answer == inputs::poison_code(poison, to)) &&
        before.poison != poison && before.got != answer;
    ++repeated_;
    if (!written || poisoned) {
        if (before.written) ++unwritten_;
        before.written = false;
        note_unwritten("input " + code_text(*conversion_.from, before.input));
    } else if (before.written && before.got != answer) {
        changed(before.input, before.got, answer);
    }
}

void OfflineAnswers::add_point(Code input, std::uint8_t poison, std::optional<Code> answer, bool written) {
    if (next_ != 0 || ended_) throw std::runtime_error("chosen inputs after a range");
    const bool answered = answer.has_value() && (!written || is_answer({input, input, *answer}, poison));
    if (!answered) gaps_ = true;
    if (points_.empty() || input > points_.back().input) {
        if (points_.size() == max_points)
            throw std::runtime_error(
                fmt::format("more than {} for a conversion", print::counted(max_points, "chosen input")));
        points_.push_back({input, answer.value_or(0), poison, answered, written});
        if (answered && !written) {
            ++unwritten_;
            note_unwritten("input " + code_text(*conversion_.from, input));
        }
        return;
    }
    const auto before = std::lower_bound(points_.begin(), points_.end(), input,
                                         [](const Asked& question, Code code) { return question.input < code; });
    if (before == points_.end() || before->input != input)
        throw std::runtime_error("input " + code_text(*conversion_.from, input) +
                                 " neither ascends nor is one that was asked before");
    if (answered && before->answered) compare(*before, *answer, poison, written);
}

std::vector<Step> OfflineAnswers::without_holes() {
    std::sort(holes_.begin(), holes_.end(), [](const Step& a, const Step& b) { return a.first < b.first; });
    std::vector<Step> left;
    auto hole = holes_.begin();
    for (Step step : steps_) {
        while (hole != holes_.end() && hole->last < step.first) ++hole;
        auto inside = hole;
        bool more = true;
        for (; more && inside != holes_.end() && inside->first <= step.last; ++inside) {
            if (inside->first > step.first) inputs::append_step(left, {step.first, inside->first - 1, step.code});
            more = inside->last < step.last;
            step.first = inside->last + 1;
        }
        if (more) inputs::append_step(left, step);
    }
    return left;
}

observe::Observation OfflineAnswers::finish(bool whole) {
    observe::Observation seen;
    seen.conversion = conversion_;
    seen.repeated = repeated_;
    seen.irregular = irregular_;
    // Every input one by one is a table too.
    if (whole && steps_.empty() && next_ == 0)
        for (const Asked& question : points_) {
            if (question.answered && question.written)
                inputs::append_step(steps_, {question.input, question.input, question.got});
        }
    const bool by_points = !whole && !points_.empty();
    if (by_points) {
        for (const Asked& question : points_)
            if (question.answered && question.written) seen.points.push_back({question.input, 0, question.got});
        seen.inputs = seen.points.size();
    } else {
        std::vector<Step> steps = without_holes();
        for (const Step& step : steps) seen.inputs += step.last - step.first + 1;
        const bool complete = !irregular_ && seen.inputs == conversion_.from->last_code() + 1;
        if (!complete && !irregular_) gaps_ = true;
        if (complete && !failure_)
            seen.table = {conversion_.from, conversion_.to, std::move(steps)};
        else
            seen.partial = std::move(steps);
    }
    seen.unstable = unwritten_ != 0 || (failure_ && failure_->status == Status::fail);
    if (failure_ && !(unwritten_ != 0 && failure_->status == Status::fail)) {
        seen.status = failure_->status;
        seen.reason = failure_->reason;
    } else if (unwritten_ != 0) {
        seen.status = Status::mistrusted;
        seen.reason =
            fmt::format("{} of the output {} never written, the first at {}", print::counted(unwritten_, "value"),
                        unwritten_ == 1 ? "was" : "were", unwritten_place_);
        if (failure_) seen.reason += "; also " + failure_->reason;
    } else if (irregular_) {
        seen.status = Status::incomplete;
        seen.reason = fmt::format("irregular: more than {} steps, the first {} inputs are kept", max_steps,
                                  print::grouped(seen.inputs));
    } else if (gaps_) {
        seen.status = Status::incomplete;
        seen.reason = "not every input was answered";
    } else {
        seen.status = Status::pass;
    }
    return seen;
}

} // namespace mxcert::offline
