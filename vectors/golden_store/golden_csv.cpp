// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_store/golden_csv.hpp"

namespace mxcert {
namespace {

/// "0100800000", "-08".
std::string difference(std::int64_t by, const Format& format) {
    const auto code = static_cast<Code>(by);
    return (by < 0 ? "-" : "") + hex(by < 0 ? 0 - code : code, format);
}

} // namespace

std::string_view golden_header(const Format& from) {
    return from.scale != nullptr ? "when,first,last,permit,clause,times,first_by,last_by,permit_by"
                                 : "when,first,last,permit,clause";
}

// Nothing but the standard library here: it is part of the generator that is cross-compiled by one command.
std::string write_golden(const GoldenFile& golden) {
    const Format& from = *golden.from;
    const Format& to = *golden.to;
    const bool repeats = from.scale != nullptr;
    std::string text(golden_header(from));
    text += '\n';
    for (const GoldenRow& row : golden.rows) {
        text += row.when;
        text += ',';
        text += hex(row.first, from);
        text += ',';
        text += hex(row.last, from);
        text += ',';
        text += to_string(row.permit, to);
        text += ',';
        text += row.clause;
        if (repeats) {
            text += ',' + std::to_string(row.times);
            text += ',' + difference(row.first_by, from);
            text += ',' + difference(row.last_by, from);
            text += ',' + difference(row.permit_by, to);
        }
        text += '\n';
    }
    return text;
}

} // namespace mxcert
