// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/linked_in.hpp"

namespace mxcert::observe {
namespace {

std::string& inside() {
    static std::string name;
    return name;
}

} // namespace

void link_in(std::string_view backend) { inside() = backend; }

bool stands_alone() { return !inside().empty(); }

bool is_linked_in(std::string_view backend) { return stands_alone() && backend == inside(); }

std::string no_plugins_reason() {
    return "this mxcert is one static file and cannot load plugins (*.so): use an installed mxcert, or a program that "
           "speaks the frames; inside is the backend " +
           inside();
}

} // namespace mxcert::observe
