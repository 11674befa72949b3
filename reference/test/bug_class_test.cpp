// SPDX-License-Identifier: Apache-2.0
#include "reference/bug_class.hpp"

#include <catch.hpp>
#include <set>
#include <stdexcept>
#include <string>

using namespace mxcert;
using namespace mxcert::formats;

TEST_CASE("bug classes have names of their own, and say what is wrong", "[bugs]") {
    std::set<std::string_view> ids;
    std::set<std::string_view> texts;
    for (const BugClass& bug : all_bug_classes()) {
        CAPTURE(bug.id);
        CHECK(ids.insert(bug.id).second);
        CHECK(texts.insert(bug.says).second);
        CHECK(bug.id.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string_view::npos);
        CHECK_FALSE(bug.says.empty());
        CHECK_FALSE(bug.cause.empty());
        CHECK(find_bug_class(bug.id) == &bug);
    }
    CHECK(ids.size() == 106);
    CHECK(find_bug_class("NO_BUG") == nullptr);
}

TEST_CASE("every value of every choice has a class, whatever is converted", "[bugs][values]") {
    std::size_t count = 0;
    for (const Format& from : all_formats())
        for (const Format& to : all_formats())
            for (const ChoiceInfo& choice : all_choices())
                for (unsigned value = 0; value < choice.values.size(); ++value) {
                    CAPTURE(from.name, to.name, choice.name, choice.values[value]);
                    CHECK_NOTHROW(static_cast<void>(bug_class_of(choice.choice, value, from, to)));
                    ++count;
                }
    CHECK(count > 10000);
    CHECK_THROWS_AS(bug_class_of(Choice::via, 99, fp32, e4m3), std::out_of_range);
    for (const ChoiceInfo& choice : all_choices()) {
        const auto beyond = static_cast<unsigned>(choice.values.size());
        CHECK_THROWS_AS(bug_class_of(choice.choice, beyond, fp32, e4m3), std::out_of_range);
    }
}

TEST_CASE("what a choice is a bug of depends on what is converted", "[bugs]") {
    const auto id = [](Choice choice, unsigned value, const Format& from, const Format& to) {
        return std::string(bug_class_of(choice, value, from, to).id);
    };
    const auto away = static_cast<unsigned>(Rounding::nearest_away);
    CHECK(id(Choice::rounding, away, fp32, e4m3) == "TIES_AWAY");
    CHECK(id(Choice::rounding, away, fp32, e8m0) == "E8M0_ROUND_MODE");
    Format with_zero = e8m0; // powers of two, and a zero among them: a float of no fraction bits
    with_zero.has_subnormals = true;
    CHECK(id(Choice::rounding, away, fp32, with_zero) == "TIES_AWAY");
    CHECK(id(Choice::rounding, static_cast<unsigned>(Rounding::toward_zero), fp32, e5m2) == "TRUNCATES");
    CHECK(id(Choice::rounding, static_cast<unsigned>(Rounding::to_odd), fp32, e5m2) == "OTHER_ROUNDING");
    const auto bf16_first = static_cast<unsigned>(Via::bf16_nearest_even);
    CHECK(id(Choice::via, bf16_first, fp32, e4m3) == "DOUBLE_ROUND_BF16");
    CHECK(id(Choice::via, bf16_first, amax_fp32, e8m0_for_e4m3) == "AMAX_NARROWED");
    CHECK(id(Choice::via, static_cast<unsigned>(Via::fp16_toward_zero), fp32, e4m3) == "F16_TRUNC_STICKY");
    const auto output = static_cast<unsigned>(Flush::output);
    CHECK(id(Choice::flush, output, fp32, e4m3) == "SUBNORMAL_FLUSH");
    CHECK(id(Choice::flush, output, e8m0, fp32) == "E8M0_ZERO_CODE_AS_ZERO");
    CHECK(id(Choice::nan, static_cast<unsigned>(NanRule::max), fp32, e4m3) == "NAN_LOST");
    CHECK(id(Choice::nan, static_cast<unsigned>(NanRule::sign), fp32, e4m3) == "NAN_SIGN_OR_PAYLOAD");
    CHECK(id(Choice::zero, static_cast<unsigned>(Zero::nan), amax_fp32, e8m0_for_e4m3) == "ZERO_BLOCK");
    CHECK(id(Choice::zero, static_cast<unsigned>(Zero::nan), fp32, e8m0) == "E8M0_SIGN_ZERO_INF");
}
