// SPDX-License-Identifier: Apache-2.0
// The HELLO of a backend: what is taken from it is safe to print and fits together.
#include <set>
#include <stdexcept>

#include "conformance/observe/hello.hpp"
#include "conformance/print/text.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace mxcert;

void require_printable(const std::string& text) {
    fuzz::require_same(print::printable(text), text, "a text of a backend is safe to print");
}

void run(std::string_view input) {
    observe::Hello hello;
    try {
        hello = observe::parse_hello(input, "backend");
    } catch (const std::runtime_error& error) {
        require_printable(error.what());
        return;
    }
    fuzz::require(!hello.info.name.empty(), "a backend has a name");
    require_printable(hello.info.name);
    require_printable(hello.info.version);
    require_printable(hello.info.description);
    for (const std::string& text : hello.info.unknown) require_printable(text);
    fuzz::require(hello.indices.size() == hello.info.conversions.size(), "every conversion has its place in HELLO");
    std::set<std::string> names;
    for (const Conversion& conversion : hello.info.conversions) {
        fuzz::require(names.insert(to_string(conversion)).second, "a conversion is offered once");
        fuzz::require(parse_conversion(to_string(conversion)) == conversion, "an offer has a name that reads back");
    }
    for (std::size_t i = 1; i < hello.indices.size(); ++i)
        fuzz::require(hello.indices[i - 1] < hello.indices[i], "places in HELLO ascend");
}

const fuzz::Target registered{"hello", run, fuzz::Form::json};

} // namespace
