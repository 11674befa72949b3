// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/blocks/join_faults.hpp"
#include "conformance/suites/case_part.hpp"
#include "conformance/suites/matrices/size_cases.hpp"
#include "reference/base/random.hpp"

namespace mxcert::suites {

/// The sizes of a matrix in blocks along an axis, drawn: `declared` values a block, or of the case (0).
struct DrawnMatrix {
    BlockShape shape;
    Extent extent;
    std::vector<std::uint64_t> sizes; ///< as GivenCase has them
};
[[nodiscard]] DrawnMatrix draw_block_matrix(SplitMix64& random, Axis axis, unsigned declared);

/// The cases of a block quantizer, or of the way back: matrices that show what joins the values of a block.
template <class Case> class BlockPart : public CasePart {
  public:
    void for_each_question(const std::function<bool(const Question&)>& ask) final {
        for_each_case(
            [&](Case block_case) { return ask(question(std::make_shared<const Case>(std::move(block_case)))); });
    }
    [[nodiscard]] Question given(const cases::GivenCase& given_case) final {
        return question(std::make_shared<const Case>(case_given(given_case)));
    }
    [[nodiscard]] bool by_profile() const final { return true; }
    [[nodiscard]] std::string failed(const verdict::Row& row) const final {
        return fmt::format("{} with values that are not permitted", print::counted(row.differing, "block"));
    }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t judge) final {
        std::vector<JoinSeen<Case>> seen;
        for (const Kept& kept : kept_) seen.push_back({kept.one.get(), kept.outputs});
        return explain(judge, seen);
    }

  protected:
    /// Calls with every case in order, until a call returns false.
    virtual void for_each_case(const std::function<bool(Case)>& take) = 0;
    [[nodiscard]] virtual Case case_given(const cases::GivenCase& given_case) const = 0;
    [[nodiscard]] virtual frames::RunCase run(const Case& block_case) const = 0;
    /// What a judge does not permit, in the words of a report.
    [[nodiscard]] virtual std::vector<std::string> wrong_in(std::size_t judge, const Case& block_case,
                                                            const std::vector<frames::Values>& outputs) const = 0;
    [[nodiscard]] virtual std::vector<KnownFault> explain(std::size_t judge,
                                                          std::span<const JoinSeen<Case>> seen) const = 0;
    [[nodiscard]] virtual std::vector<const Format*> judged() const = 0;

    /// What certify_sizes() asks: matrices that are the ring again and again. `of_blocks`: as large_run() takes them.
    template <class Of> [[nodiscard]] static std::vector<SizeQuestion>
    size_questions(const Of& found, const Case& ring, Level level, const std::vector<bool>& of_blocks) {
        constexpr std::uint64_t group = 128; // lines that anyone takes
        std::vector<SizeQuestion> questions;
        for (const bool is_filled : {false, true}) {
            const Case block_case = is_filled ? filled(ring) : ring;
            frames::RunCase small = run_of(found, block_case);
            small.row = "blocks";
            small.name = fmt::format("{} lines of {}", block_case.matrix.lines, block_case.matrix.length);
            questions.push_back({small, [=, matrix = block_case.matrix](const std::vector<frames::Values>& answers) {
                                     std::vector<frames::RepeatedRun> runs;
                                     for (const BlockMatrix& large :
                                          large_matrices(matrix.axis, matrix.block, level, is_filled ? group : 1))
                                         runs.push_back(large_run(matrix, small, answers, large, of_blocks));
                                     return runs;
                                 }});
        }
        return questions;
    }

    [[nodiscard]] Question question(const std::shared_ptr<const Case>& asked_case) {
        Question new_question;
        new_question.name = asked_case->name;
        new_question.may_refuse = asked_case->matrix.has_tail();
        new_question.tensor = asked_case->matrix.extent();
        new_question.judged = judged();
        new_question.runs = [this, asked_case] { return std::vector<frames::RunCase>{run(*asked_case)}; };
        if (!new_question.may_refuse) // more lines leave the tail as it is
            new_question.filled = [this, asked_case] {
                return question(std::make_shared<const Case>(filled(*asked_case)));
            };
        new_question.judge = [this, asked_case](std::size_t judge, const std::vector<frames::Values>& outputs) {
            Findings findings{asked_case->matrix.elements(), 0, wrong_in(judge, *asked_case, outputs)};
            findings.differing = findings.wrong.size();
            return findings;
        };
        new_question.keep = [this, asked_case](std::size_t judge, const std::vector<frames::Values>& outputs,
                                               const Findings& /*found*/) {
            if (judge == 0 && asked_case->matrix.elements() <= largest_kept) kept_.push_back({asked_case, outputs});
        };
        return new_question;
    }

  private:
    static constexpr std::uint64_t largest_kept = 1U << 18U; // elements of a case that is kept to name what is wrong

    struct Kept {
        std::shared_ptr<const Case> one;
        std::vector<frames::Values> outputs;
    };

    std::vector<Kept> kept_;
};

} // namespace mxcert::suites
