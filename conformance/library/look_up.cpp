// SPDX-License-Identifier: Apache-2.0
// The functions of mxcert.h that give JSON.
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "conformance/explain/bugs.hpp"
#include "conformance/explain/question_options.hpp"
#include "conformance/library/guarded.hpp"
#include "conformance/library/mxcert.h"
#include "conformance/library/options.hpp"
#include "conformance/verdict/golden_source.hpp"
#include "conformance/verdict/profile_for.hpp"
#include "reference/code_text.hpp"
#include "vectors/golden_store/golden_files.hpp"

namespace mxcert::library {
namespace {

using Json = nlohmann::ordered_json;

/// An explanation in the form that is asked for.
template <class Explained> std::string written(const Explained& explained, const std::string& form) {
    if (form == "text") return explain::to_text(explained);
    if (form == "json") return explain::to_json(explained).dump();
    throw std::invalid_argument("form is json or text");
}

std::string explained(const char* inputs, const char* text) {
    explain::QuestionOptions options;
    std::string block;
    std::string form = "json";
    const OptionPlace places[] = {{"from", &options.from},
                                  {"to", &options.to},
                                  {"rounding", &options.rounding},
                                  {"overflow", &options.overflow},
                                  {"random", &options.random},
                                  {"scale", &options.scale},
                                  {"rule", &options.rule},
                                  {"choice", &options.choices},
                                  {"block", &block},
                                  {"form", &form}};
    read_options(text, places);
    if (!block.empty() && block != "yes") throw std::invalid_argument("block is yes, or left out");
    options.inputs = words_of(given(inputs, "inputs"));
    if (!block.empty()) return written(explain::explain(explain::block_question_of(options)), form);
    return written(explain::explain(explain::question_of(options)), form);
}

Json step_table(const char* name, const char* profile_name) {
    // The tables of a pair of formats are read or computed once.
    static verdict::GoldenSource source;
    const Conversion conversion = parse_conversion(given(name, "conversion"));
    const Profile& profile = verdict::profile_for(conversion, profile_name == nullptr ? "" : profile_name);
    const verdict::GoldenUsed& used = source.get(profile, conversion);
    Json rows = Json::array();
    for (const PermitStep& step : select(used.golden, profile, conversion).steps) {
        Json codes = Json::array();
        for (const Code code : step.permit.codes) codes.push_back(code_text(*conversion.to, code));
        rows.push_back({{"first", code_text(*conversion.from, step.first)},
                        {"last", code_text(*conversion.from, step.last)},
                        {"codes", std::move(codes)},
                        {"any_nan", step.permit.any_nan},
                        {"clause", step.clause}});
    }
    return {{"conversion", to_string(conversion)},
            {"profile", profile.name},
            {"from", conversion.from->name},
            {"to", conversion.to->name},
            {"vectors", used.name},
            {"sha256", used.sha256},
            {"rows", std::move(rows)}};
}

} // namespace
} // namespace mxcert::library

using namespace mxcert;

extern "C" {

int mxcert_explain(const char* inputs, const char* options, char** text) {
    return library::guarded([&] {
        char*& place = *library::given(text, "text"); // first: a text without a place would be lost
        place = library::copied(library::explained(inputs, options));
    });
}

int mxcert_step_table(const char* conversion, const char* profile, char** json) {
    return library::guarded([&] {
        char*& place = *library::given(json, "json");
        place = library::copied(library::step_table(conversion, profile).dump());
    });
}

int mxcert_use_vectors(const char* folder) {
    return library::guarded([&] { set_golden_folder(library::given(folder, "folder")); });
}

int mxcert_bugs(char** json) {
    return library::guarded([&] {
        char*& place = *library::given(json, "json");
        place = library::copied(explain::bugs_to_json().dump());
    });
}

} // extern "C"
