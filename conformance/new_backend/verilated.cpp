// SPDX-License-Identifier: Apache-2.0
#include "conformance/new_backend/verilated.hpp"

#include <iterator>

#include <fmt/format.h>

#include "conformance/new_backend/start_verilator.hpp"
#include "conformance/new_backend/verilated_offer.hpp"
#include "conformance/new_backend/write_folder.hpp"

namespace mxcert::new_backend {
namespace {

/// Four cycles with the reset held.
std::string reset_text(const prove::Design& design) {
    if (design.reset.empty()) return "(void)latency;";
    return fmt::format("model->{0} = {1};\n        for (int cycle = 0; cycle < 4; ++cycle) {{\n"
                       "            model->{2} = 1;\n            model->eval();\n            model->{2} = 0;\n"
                       "            model->eval();\n        }}\n        model->{0} = {3};",
                       design.reset, design.reset_low ? 0 : 1, design.clock, design.reset_low ? 1 : 0);
}

/// The parts of the text that the ports of a design decide.
Places places_of(const VerilatedBackend& wanted) {
    const prove::Design& design = wanted.design;
    const bool by_valid = !design.in_valid.empty();
    const std::string tick =
        design.clock.empty()
            ? ""
            : fmt::format("model.{0} = 1;\n        model.eval();\n        model.{0} = 0;", design.clock);
    std::string drive;
    if (by_valid) {
        drive += fmt::format("random ^= random << 13, random ^= random >> 17, random ^= random << 5;\n"
                             "        model.{} = next < count && random % 8 != 0;",
                             design.in_valid);
        if (!design.out_ready.empty())
            drive += fmt::format("\n        model.{} = random / 8 % 8 != 0;", design.out_ready);
    }
    std::string taken = "true";
    std::string fed = "true";
    std::string declare = "static_assert(latency == 0);";
    std::string drain;
    if (by_valid) {
        taken = "model." + design.out_valid + (design.out_ready.empty() ? "" : " && model." + design.out_ready);
        fed = "model." + design.in_valid + (design.in_ready.empty() ? "" : " && model." + design.in_ready);
        declare = "static std::uint32_t random = 1; // when valid and ready signals pause";
        drain = fmt::format(R"(    model.{} = 0;
    for (std::size_t cycle = 0; cycle < latency; ++cycle) {{
        model.eval();
        if (model.{}) throw std::runtime_error("the design gave more codes than it was given values");
        {}
    }}
)",
                            design.in_valid, design.out_valid, tick);
    } else if (design.latency != 0) {
        taken = "++cycles > latency";
        declare = "std::size_t cycles = 0; // up to this one";
    }
    std::string files;
    for (const std::string& file : design.files)
        files += fmt::format(" \"{}\"", std::filesystem::absolute(file).generic_string());
    std::string arguments;
    for (const auto& [name, value] : design.parameters) arguments += fmt::format(" \"-G{}={}\"", name, value);
    for (const std::string& define : design.defines) arguments += fmt::format(" \"-D{}\"", define);
    for (const std::string& folder : design.includes)
        arguments += fmt::format(" \"-I{}\"", std::filesystem::absolute(folder).generic_string());
    Places places{{"@DECLARE@", declare},
                  {"@DRIVE@", drive},
                  {"@TAKEN@", taken},
                  {"@FED@", fed},
                  {"@TICK@", tick},
                  {"@DRAIN@", drain},
                  {"@RESET@", reset_text(design)},
                  {"@INPUT@", design.input},
                  {"@OUTPUT@", design.output},
                  {"@SCALE@", design.scale},
                  {"@LATENCY@", std::to_string(design.latency)},
                  {"@FILES@", files},
                  {"@ARGS@", arguments},
                  {"@TOP@", design.top},
                  {"@NAME@", wanted.name},
                  {"@PREFIX@", wanted.prefix.generic_string()}};
    // First, as the texts of an offer have some of these places.
    Places all = offer_of(wanted.offer, design);
    all.insert(all.end(), std::make_move_iterator(places.begin()), std::make_move_iterator(places.end()));
    return all;
}

} // namespace

Written write_verilated(const VerilatedBackend& wanted) {
    check_backend_name(wanted.name);
    prove::check(wanted.design);
    const Places places = places_of(wanted);
    write_folder(wanted.folder, {{wanted.name + ".cpp", replaced(start_verilated, places)},
                                 {"CMakeLists.txt", replaced(start_verilated_cmake, places)},
                                 {"README.md", replaced(start_verilated_readme, places)}});
    const std::string options = replaced("@RUN@", places); // begins with a space, if there are any
    return {wanted.name + ".cpp", "cmake -B build && cmake --build build\n", "build/" + wanted.name + ".so",
            options.empty() ? options : options.substr(1)};
}

} // namespace mxcert::new_backend
