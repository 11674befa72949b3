// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/observe/subject.hpp"
#include "conformance/observe/sweep.hpp"
#include "conformance/shards/ask_again.hpp"
#include "reference/base/random.hpp"

namespace mxcert::evidence {

/// What of a row was asked again.
struct RowSlices {
    std::uint64_t inputs = 0;  ///< drawn and compared
    std::uint64_t of = 0;      ///< inputs that the record has
    std::uint64_t runs = 0;    ///< of an operation: compared, `slices` of them drawn out of all with equal chances
    std::uint64_t of_runs = 0; ///< that the record has
    bool simplified = false;   ///< answers alternate among permitted codes, and one is stored for all: none is compared
    std::uint64_t random = 0;  ///< runs whose answers are drawn at random: they cannot be compared
    std::uint64_t large = 0;   ///< large runs, of which the record says only whether they passed
};

/// Stored answers that are asked of a running backend again while they are judged: of each row some slices, drawn
/// independently of what is stored. The answers that are judged remain the stored ones.
class Slices final : public observe::Subject {
  public:
    /// `slices` of each row: so many times shards::inputs_of_slice inputs, or so many runs. Both subjects must outlive
    /// the object.
    Slices(observe::Subject& stored, observe::Subject& backend, std::uint64_t slices, std::uint64_t seed)
        : stored_(stored), backend_(backend), slices_(slices), seed_(seed) {}

    /// What was asked again, by row or conversion.
    [[nodiscard]] const std::map<std::string, RowSlices>& rows() const { return rows_; }
    /// "fp16-e4m3-...: input 0x3C00 gives 0x38, and 0x39 is stored": the first of each row.
    [[nodiscard]] const std::vector<std::string>& differences() const { return differences_; }

    [[nodiscard]] const observe::BackendInfo& info() const override { return stored_.info(); }
    [[nodiscard]] observe::Observation observe(const Conversion& conversion,
                                               const observe::Permitted& permitted) override;
    [[nodiscard]] observe::Observation observe_points(const Conversion& conversion,
                                                      const std::vector<inputs::Point>& inputs,
                                                      const PermitTable* permitted) override;
    [[nodiscard]] observe::Observation sweep(const observe::SweepPart& part, const PermitTable* permitted) override;
    [[nodiscard]] bool can_sweep() const override { return stored_.can_sweep(); }
    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case) override;
    [[nodiscard]] frames::RepeatedAnswer run_repeated(const Operation& operation,
                                                      const frames::RepeatedRun& run) override;
    [[nodiscard]] std::optional<Suite> stored_suite() const override { return stored_.stored_suite(); }
    [[nodiscard]] bool holds_points(const Conversion& conversion) const override {
        return stored_.holds_points(conversion);
    }
    [[nodiscard]] std::vector<inputs::Point> answerable(const Conversion& conversion,
                                                        std::vector<inputs::Point> wanted) const override {
        return stored_.answerable(conversion, std::move(wanted));
    }
    [[nodiscard]] bool is_record() const override { return stored_.is_record(); }
    [[nodiscard]] std::string selection() const override { return stored_.selection(); }
    [[nodiscard]] std::vector<std::string> left_out() const override { return stored_.left_out(); }
    [[nodiscard]] std::string digest() const override { return stored_.digest(); }
    [[nodiscard]] std::vector<std::string> filters() const override { return stored_.filters(); }

  private:
    void compare(const Conversion& conversion, const observe::Observation& stored);
    void note(const std::string& row, const shards::AskedAgain& asked);
    [[nodiscard]] std::uint64_t random() { return SplitMix64::at(seed_, drawn_++); }

    observe::Subject& stored_;
    observe::Subject& backend_;
    std::uint64_t slices_;
    std::uint64_t seed_;
    std::uint64_t drawn_ = 0; ///< random numbers so far
    std::map<std::string, RowSlices> rows_;
    std::vector<std::string> differences_;
};

/// The probability at most that n inputs, drawn one by one out of all, are the right ones if a share p of all is wrong:
/// (1 - p)^n. 0 where all were asked.
[[nodiscard]] double missed(double share, std::uint64_t asked, std::uint64_t of);

} // namespace mxcert::evidence
