// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "reference/choices.hpp"
#include "reference/exact/exact.hpp"
#include "reference/exact/number.hpp"
#include "reference/format.hpp"
#include "vectors/tables/step_table.hpp"

namespace mxcert::explain {

/// One input and what is asked about it.
struct ExplainQuestion {
    std::string input; ///< as the user wrote it (parse_number)
    std::string scale; ///< the same for a source with a given scale; "": `input` is the bit pattern of both
    const Format* from = nullptr;
    const Format* to = nullptr;
    Choices choices;
    exact::Random random; ///< stochastic roundings only
};

/// A value of the target beside the input. No code: the value lies beyond the largest one, or below the smallest of a
/// format without zero.
struct Neighbour {
    exact::Rational magnitude;
    std::optional<Code> code;
};

/// Where a finite input lies between two values of the target.
struct Position {
    bool negative = false;
    exact::Rational magnitude; ///< of the input
    Neighbour lower;           ///< nearer to zero
    Neighbour upper;           ///< equal to lower if the input is a value of the target
    exact::Rational tie;       ///< the middle
};

/// One step of the conversion and the clause it follows.
struct ExplainedStep {
    std::string clause;
    std::string text;
};

/// A choice that mattered: its value, and what its other values give.
struct Say {
    Choice choice;
    std::string value;
    struct Alternative {
        std::string value;
        Code code = 0;
    };
    std::vector<Alternative> others; ///< stochastic roundings are left out
};

/// How one input becomes one code.
struct Explanation {
    ExplainQuestion question;
    Number input;
    std::vector<ExplainedStep> steps; ///< the first tells the source's value
    exact::Result result;
    std::string clause;               ///< that decided
    std::optional<Position> position; ///< finite inputs other than zero, but for an amax to its scale
    std::vector<Say> says;
    std::optional<mxcert::Step> run;         ///< deterministic roundings: the inputs around this one with the same code
    std::optional<exact::Random> own;        ///< stochastic: R, and the number of its bits, where it decides
    std::optional<exact::Integer> threshold; ///< stochastic: the least R that goes away from zero; 2^n: none
};

/// Works it out with the exact model. Throws std::invalid_argument for an input that is no number of the source, and
/// for random bits that are missing, superfluous or do not fit.
[[nodiscard]] Explanation explain(const ExplainQuestion& question);

/// For people. Values are exact; those of more than 40 characters are shortened, the JSON has them whole.
[[nodiscard]] std::string to_text(const Explanation& explanation);

/// For programs. Codes are text, "0x7E"; values are exact decimal text.
[[nodiscard]] nlohmann::ordered_json to_json(const Explanation& explanation);

/// "3/8": R and the number of random bits. Throws std::invalid_argument.
[[nodiscard]] exact::Random parse_random(std::string_view text);

} // namespace mxcert::explain
