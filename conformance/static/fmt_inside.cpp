// SPDX-License-Identifier: Apache-2.0
// fmt's functions for a static program where there is no libfmt.a. In fmt's header-only mode they are inline functions
// of the same names; they are emitted here because their addresses are taken, and what they call with them. If the
// linker misses one that the program has begun to use, its address belongs here too.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace mxcert {

extern std::string (*const fmt_vformat)(fmt::string_view, fmt::format_args);
extern void (*const fmt_vprint)(fmt::string_view, fmt::format_args);
extern void (*const fmt_vprint_to)(std::FILE*, fmt::string_view, fmt::format_args);
extern bool (*const fmt_is_printable)(std::uint32_t);
extern fmt::detail::thousands_sep_result<char> (*const fmt_thousands_sep)(fmt::detail::locale_ref);

std::string (*const fmt_vformat)(fmt::string_view, fmt::format_args) = fmt::vformat;
void (*const fmt_vprint)(fmt::string_view, fmt::format_args) = fmt::vprint;
void (*const fmt_vprint_to)(std::FILE*, fmt::string_view, fmt::format_args) = fmt::vprint;
bool (*const fmt_is_printable)(std::uint32_t) = fmt::detail::is_printable;
fmt::detail::thousands_sep_result<char> (*const fmt_thousands_sep)(fmt::detail::locale_ref) =
    fmt::detail::thousands_sep_impl<char>;

} // namespace mxcert
