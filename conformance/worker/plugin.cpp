// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/plugin.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "conformance/worker/load.hpp"

namespace mxcert::worker {
namespace {

// Numbers beyond these are no backend but a struct that is not what it claims to be.
constexpr std::uint32_t most_conversions = 65'536;
constexpr std::uint32_t largest_struct = 4'096;
constexpr std::size_t longest_string = 1'023;

// The fields that every version 1 has; later ones may be missing.
constexpr std::uint32_t smallest_api = offsetof(mxcert_api, convert) + sizeof(mxcert_api::convert);
constexpr std::uint32_t smallest_conversion =
    offsetof(mxcert_conversion, overflow) + sizeof(mxcert_conversion::overflow);

[[noreturn]] void fail(const std::string& path, const std::string& text) {
    throw std::runtime_error(path + ": " + text);
}

/// A string of the plugin, never NULL, empty or endless.
std::string text_of(const std::string& path, const char* text, const std::string& field) {
    if (text == nullptr) fail(path, field + " is NULL");
    const std::size_t length = ::strnlen(text, longest_string + 1);
    if (length == 0) fail(path, field + " is empty");
    if (length > longest_string) fail(path, field + " is longer than " + std::to_string(longest_string) + " bytes");
    return {text, length};
}

/// Copies the part of a struct that both sides know.
template <class Struct>
Struct copy_struct(const std::string& path, const void* from, std::uint32_t smallest, const std::string& what) {
    std::uint32_t theirs = 0;
    std::memcpy(&theirs, from, sizeof(theirs));
    if (theirs < smallest || theirs > largest_struct) {
        fail(path, what + ".struct_size is " + std::to_string(theirs) + ", expected " + std::to_string(smallest) +
                       " to " + std::to_string(largest_struct) + "; set it to sizeof the struct");
    }
    Struct copy{};
    std::memcpy(&copy, from, std::min<std::size_t>(theirs, sizeof(Struct)));
    return copy;
}

} // namespace

Plugin::Plugin(const std::string& path) {
    const mxcert_api* theirs = load_api(path);
    // The version first: behind another one nothing else may be where it is expected.
    std::uint32_t head[2];
    std::memcpy(head, theirs, sizeof(head));
    if (head[1] != MXCERT_ABI_MAJOR) {
        fail(path, "was built for version " + std::to_string(head[1]) +
                       " of the interface, this program speaks version " + std::to_string(MXCERT_ABI_MAJOR));
    }
    api_ = copy_struct<mxcert_api>(path, theirs, smallest_api, "mxcert_api");
    if (api_.convert == nullptr) fail(path, "mxcert_api.convert is NULL");
    if (api_.conversions == nullptr) fail(path, "mxcert_api.conversions is NULL");
    if (api_.conversion_count == 0 || api_.conversion_count > most_conversions) {
        fail(path, "mxcert_api.conversion_count is " + std::to_string(api_.conversion_count) + ", expected 1 to " +
                       std::to_string(most_conversions));
    }
    name_ = text_of(path, api_.name, "mxcert_api.name");
    version_ = text_of(path, api_.version, "mxcert_api.version");
    description_ = text_of(path, api_.description, "mxcert_api.description");

    const auto* element = reinterpret_cast<const char*>(api_.conversions);
    std::uint32_t stride = 0;
    for (std::uint32_t i = 0; i < api_.conversion_count; ++i, element += stride) {
        const std::string what = "conversions[" + std::to_string(i) + "]";
        const auto conversion = copy_struct<mxcert_conversion>(path, element, smallest_conversion, what);
        if (i == 0) stride = conversion.struct_size;
        if (conversion.struct_size != stride) {
            fail(path, what + ".struct_size is " + std::to_string(conversion.struct_size) +
                           ", that of conversions[0] is " + std::to_string(stride));
        }
        Offer offer;
        offer.source = text_of(path, conversion.source, what + ".source");
        offer.target = text_of(path, conversion.target, what + ".target");
        offer.rounding = text_of(path, conversion.rounding, what + ".rounding");
        offer.overflow = text_of(path, conversion.overflow, what + ".overflow");
        offer.random_bits = conversion.random_bits;
        if (offer.random_bits > 32) {
            fail(path, what + ".random_bits is " + std::to_string(offer.random_bits) + ", expected 0 to 32");
        }
        offer.from = find_format(offer.source);
        offer.to = find_format(offer.target);
        offers_.push_back(std::move(offer));
    }
}

Outcome Plugin::outcome(const char* function, std::int32_t status) const {
    if (status == MXCERT_OK) return {};
    const char* reason = api_.last_error == nullptr ? nullptr : api_.last_error();
    std::string text = std::string(function) + "() returned " + std::to_string(status);
    if (reason != nullptr && *reason != '\0') text += ": " + std::string(reason, ::strnlen(reason, longest_string));
    return {status, text};
}

Outcome Plugin::open(const std::string& options) {
    std::fegetenv(&ours_);
    Outcome opened = call_open(options);
    std::fegetenv(&theirs_);
    std::fesetenv(&ours_);
    return opened;
}

Outcome Plugin::convert(const mxcert_convert_args& args) {
    std::fesetenv(&theirs_);
    Outcome converted = call_convert(args);
    std::fesetenv(&ours_);
    return converted;
}

Outcome Plugin::call_open(const std::string& options) {
    if (api_.open == nullptr) return {};
    try {
        return outcome("open", api_.open(options.c_str()));
    } catch (const std::exception& e) {
        return {MXCERT_ERROR, std::string("open() threw an exception: ") + e.what()};
    } catch (...) {
        return {MXCERT_ERROR, "open() threw an exception"};
    }
}

Outcome Plugin::call_convert(const mxcert_convert_args& args) {
    try {
        const std::int32_t status = api_.convert(&args);
        if (status == MXCERT_OK) [[likely]]
            return {};
        return outcome("convert", status);
    } catch (const std::exception& e) {
        return {MXCERT_ERROR, std::string("convert() threw an exception: ") + e.what()};
    } catch (...) {
        return {MXCERT_ERROR, "convert() threw an exception"};
    }
}

void Plugin::close() {
    if (api_.close != nullptr) api_.close();
}

} // namespace mxcert::worker
