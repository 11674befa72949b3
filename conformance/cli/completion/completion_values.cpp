// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/completion/completion_values.hpp"

#include <algorithm>
#include <string_view>

#include "conformance/backends/backends.hpp"
#include "conformance/measure/measure.hpp"
#include "reference/choices.hpp"
#include "reference/clause.hpp"
#include "reference/conversion.hpp"
#include "reference/dot/accumulator.hpp"
#include "reference/dot/epilogue.hpp"
#include "reference/profile/profile.hpp"
#include "reference/recipe/catalogue.hpp"
#include "reference/scaled_format.hpp"
#include "vectors/export/export.hpp"
#include "vectors/golden_store/golden.hpp"

namespace mxcert::cli {
namespace {

using Words = std::vector<std::string>;
using Files = CompletionValues::Files;

template <class Table> Words names_of(const Table& table) {
    Words words;
    for (const auto& row : table) words.emplace_back(row.name);
    return words;
}

Words no_words() { return {}; }
Words backends() { return names_of(builtin_backends()); }
Words profiles() { return names_of(all_profiles()); }
Words formats() { return names_of(all_formats()); }
Words accumulator_names() { return names_of(accumulators()); }
Words epilogue_names() { return names_of(epilogues()); }
Words recipes() { return names_of(recipe::catalogue()); }

Words clauses() {
    Words words;
    for (const Clause& clause : all_clauses()) words.emplace_back(clause.id);
    return words;
}

Words values_of(Choice choice) {
    Words words;
    for (const std::string_view value : info(choice).values) words.emplace_back(value);
    return words;
}
Words roundings() { return values_of(Choice::rounding); }
Words overflows() { return values_of(Choice::overflow); }

Words choices() {
    Words words;
    for (const ChoiceInfo& choice : all_choices())
        for (const std::string_view value : choice.values)
            words.push_back(std::string(choice.name) + "=" + std::string(value));
    return words;
}

// Those with a golden file, without the stochastic ones, whose number of random bits is the backend's.
Words conversions() {
    Words words;
    for (const GoldenPair& pair : golden_pairs())
        for (const std::string& how : values_of(rounding_or_rule(*pair.to)))
            for (const std::string& overflow : overflows()) try {
                    words.push_back(to_string(make_conversion(pair.from->name, pair.to->name, how, overflow, 0)));
                } catch (const std::invalid_argument&) { // not a conversion there is
                }
    return words;
}

Words elements() {
    Words words;
    for (const ScaledFormat& scaled : mx_formats()) words.emplace_back(scaled.element->name);
    return words;
}
Words scales() {
    Words words;
    for (const std::string_view name : measure::scale_names()) words.emplace_back(name);
    return words;
}

Words export_formats() {
    Words words;
    for (const std::string_view name : export_format_names()) words.emplace_back(name);
    return words;
}

struct Row {
    std::string_view command; ///< "": of every command
    std::string_view name;    ///< of the option or positional argument
    Words (*words)();
    Files files;
};

constexpr Row table[] = {
    {"profiles", "NAME", profiles, Files::none},
    {"formats", "NAME", formats, Files::none},
    {"recipes", "NAME", recipes, Files::none},
    {"clauses", "ID", clauses, Files::none},
    {"export", "--format", export_formats, Files::none},
    {"explain", "INPUT", no_words, Files::none},
    {"", "BACKEND", backends, Files::backends},
    {"", "A", backends, Files::backends},
    {"", "B", backends, Files::backends},
    {"", "FOLDER", no_words, Files::folders},
    {"", "--profile", profiles, Files::none},
    {"", "--from", formats, Files::none},
    {"", "--to", formats, Files::none},
    {"", "--rounding", roundings, Files::none},
    {"", "--overflow", overflows, Files::none},
    {"", "--choice", choices, Files::none},
    {"", "--filter", conversions, Files::none},
    {"", "--require", conversions, Files::none},
    {"", "--leave-out", conversions, Files::none},
    {"", "--conversion", conversions, Files::none},
    {"", "--operation", no_words, Files::none},
    {"", "--reproduce", conversions, Files::none},
    {"", "--case", conversions, Files::none},
    {"new-backend", "NAME", no_words, Files::none},
    {"", "--time", no_words, Files::none},
    {"", "--element", elements, Files::none},
    {"", "--rule", scales, Files::none},
    {"", "--accumulator", accumulator_names, Files::none},
    {"", "--epilogue", epilogue_names, Files::none},
    {"", "--shape", no_words, Files::none},
    {"", "--shard", no_words, Files::none},
    {"", "--tensor", no_words, Files::none},
    {"", "--first", no_words, Files::none},
    {"", "--last", no_words, Files::none},
    {"", "--random", no_words, Files::none},
    {"", "--backend-option", no_words, Files::none},
    {"verify", "CERTIFICATE", no_words, Files::all},
    {"", "--reason", no_words, Files::none},
    {"", "--owner", no_words, Files::none},
    {"", "--expires", no_words, Files::none},
    {"", "--today", no_words, Files::none},
};

bool is_number(std::string_view type) {
    for (const std::string_view number : {"UINT", "INT", "FLOAT"})
        if (type.starts_with(number)) return true;
    return false;
}

// "TEXT:{auto,always,never}" is the type of an option that must be one of these.
Words listed_in(const std::string& type) {
    Words words;
    const std::size_t open = type.find('{');
    const std::size_t close = type.find('}', open);
    if (open == std::string::npos || close == std::string::npos) return words;
    for (std::size_t start = open + 1; start <= close;) {
        const std::size_t end = std::min(type.find(',', start), close);
        words.push_back(type.substr(start, end - start));
        start = end + 1;
    }
    return words;
}

} // namespace

CompletionValues completion_values(const CLI::App& command, const CLI::Option& option) {
    const std::string type = option.get_type_name();
    if (Words words = listed_in(type); !words.empty()) return {std::move(words), Files::none};
    if (command.get_name() == "help" && option.get_positional()) {
        Words commands;
        for (const CLI::App* other : command.get_parent()->get_subcommands({})) commands.push_back(other->get_name());
        return {std::move(commands), Files::none};
    }
    const std::string name = option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
    for (const Row& row : table)
        if (row.name == name && (row.command.empty() || row.command == command.get_name()))
            return {row.words(), row.files};
    if (is_number(type)) return {};
    return {{}, type == "DIR" ? Files::folders : Files::all};
}

} // namespace mxcert::cli
