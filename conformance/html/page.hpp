// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "conformance/status.hpp"

namespace mxcert::html {

/// A part of a page, with an entry in its contents.
struct Section {
    std::string id;
    std::string title;
    std::string body; ///< HTML
};

/// A whole page.
struct Page {
    std::string command; ///< "certify"
    std::string subject; ///< what was tested
    std::string verdict; ///< sentences, a line each; the first begins with a word in capitals
    Status status = Status::pass;
    std::vector<std::pair<std::string, std::string>> facts; ///< name and text
    std::vector<Section> sections;                          ///< those with an empty body are left out
};

/// The page as one file: style and pictures are in it, it has no script and asks for nothing from a network.
[[nodiscard]] std::string page_html(const Page& page);

} // namespace mxcert::html
