// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/plugin.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <sstream>

#include "conformance/worker/load.hpp"

namespace mxcert::worker {
namespace {

// Numbers beyond these are no backend but a struct that is not what it claims to be.
constexpr std::uint32_t most_offers = 65'536;
constexpr std::uint32_t largest_struct = 4'096;
constexpr std::size_t longest_string = 1'023;

// The fields that every version 2 has; later ones may be missing.
constexpr std::uint32_t smallest_api = offsetof(mxcert_api, max_batch) + sizeof(mxcert_api::max_batch);
constexpr std::uint32_t smallest_conversion =
    offsetof(mxcert_conversion, overflow) + sizeof(mxcert_conversion::overflow);
constexpr std::uint32_t smallest_operation =
    offsetof(mxcert_operation, attributes) + sizeof(mxcert_operation::attributes);

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

/// Calls use(copy, "conversions[2]") for each struct of an array whose author knew more or fewer fields.
template <class Struct, class Use> void for_each_offer(const std::string& path, const std::string& kind,
                                                       const Struct* array, std::uint32_t count, std::uint32_t smallest,
                                                       Use use) {
    if (count > most_offers) {
        fail(path, "mxcert_api." + kind + "_count is " + std::to_string(count) + ", expected up to " +
                       std::to_string(most_offers));
    }
    if (count != 0 && array == nullptr) fail(path, "mxcert_api." + kind + "s is NULL");
    const auto* element = reinterpret_cast<const char*>(array);
    std::uint32_t stride = 0;
    for (std::uint32_t i = 0; i < count; ++i, element += stride) {
        const std::string what = kind + "s[" + std::to_string(i) + "]";
        const auto copy = copy_struct<Struct>(path, element, smallest, what);
        if (i == 0) stride = copy.struct_size;
        if (copy.struct_size != stride) {
            fail(path, what + ".struct_size is " + std::to_string(copy.struct_size) + ", that of " + kind + "s[0] is " +
                           std::to_string(stride));
        }
        use(copy, what);
    }
}

} // namespace

Plugin::Plugin(const std::string& path) : Plugin(load_api(path), path, 0) {}

Plugin::Plugin(const mxcert_api* theirs, const std::string& path, std::uint64_t least_batch)
    : least_batch_(least_batch) {
    // The version first: behind another one nothing else may be where it is expected.
    std::uint32_t head[2];
    std::memcpy(head, theirs, sizeof(head));
    if (head[1] != MXCERT_ABI_MAJOR) {
        fail(path, "was built for version " + std::to_string(head[1]) +
                       " of the interface, this program speaks version " + std::to_string(MXCERT_ABI_MAJOR));
    }
    api_ = copy_struct<mxcert_api>(path, theirs, smallest_api, "mxcert_api");
    if ((api_.flags & ~MXCERT_ONE_WORKER) != 0)
        fail(path,
             "mxcert_api.flags is " + std::to_string(api_.flags) + ", and this program knows MXCERT_ONE_WORKER alone");
    if (api_.conversion_count == 0 && api_.operation_count == 0)
        fail(path, "mxcert_api offers nothing: conversion_count is 0, and operation_count too");
    if (api_.conversion_count != 0 && api_.convert == nullptr) fail(path, "mxcert_api.convert is NULL");
    if (api_.operation_count != 0 && api_.run == nullptr) fail(path, "mxcert_api.run is NULL");
    name_ = text_of(path, api_.name, "mxcert_api.name");
    version_ = text_of(path, api_.version, "mxcert_api.version");
    description_ = text_of(path, api_.description, "mxcert_api.description");

    read_conversions(path);
    add_offers_of_flags(path);
    read_operations(path);
}

void Plugin::read_conversions(const std::string& path) {
    for_each_offer<mxcert_conversion>(path, "conversion", api_.conversions, api_.conversion_count, smallest_conversion,
                                      [&](const mxcert_conversion& conversion, const std::string& what) {
                                          Offer offer;
                                          offer.source = text_of(path, conversion.source, what + ".source");
                                          offer.target = text_of(path, conversion.target, what + ".target");
                                          offer.rounding = text_of(path, conversion.rounding, what + ".rounding");
                                          offer.overflow = text_of(path, conversion.overflow, what + ".overflow");
                                          offer.random_bits = conversion.random_bits;
                                          if (offer.random_bits > 32) {
                                              fail(path, what + ".random_bits is " + std::to_string(offer.random_bits) +
                                                             ", expected 0 to 32");
                                          }
                                          offer.from = find_format(offer.source);
                                          offer.to = find_format(offer.target);
                                          offer.index = static_cast<std::uint32_t>(offers_.size());
                                          offers_.push_back(std::move(offer));
                                      });
}

void Plugin::add_offers_of_flags(const std::string& path) {
    if (api_.has_flags == nullptr) return;
    for (std::uint32_t index = 0; index < api_.conversion_count; ++index) {
        const unsigned has_flags = api_.has_flags[index];
        if (has_flags > MXCERT_FLAGS_OF_BATCH)
            fail(path, "mxcert_api.has_flags[" + std::to_string(index) + "] is " + std::to_string(has_flags) +
                           ", expected 0 to 2");
        if (has_flags == 0) continue;
        Offer flags = offers_[index];
        flags.codes = flags.to;
        flags.flags_of_batch = has_flags == MXCERT_FLAGS_OF_BATCH;
        flags.target = "flags_of_" + flags.target;
        flags.to = find_format(flags.target);
        offers_.push_back(std::move(flags));
    }
}

void Plugin::read_operations(const std::string& path) {
    for_each_offer<mxcert_operation>(
        path, "operation", api_.operations, api_.operation_count, smallest_operation,
        [&](const mxcert_operation& operation, const std::string& what) {
            OperationOffer offer;
            offer.name = text_of(path, operation.name, what + ".name");
            std::istringstream words(text_of(path, operation.attributes, what + ".attributes"));
            for (std::string word; words >> word;) {
                const std::size_t equals = word.find('=');
                if (equals == std::string::npos)
                    fail(path, what + ".attributes has '" + word + "', which is not key=value");
                const std::string key = word.substr(0, equals);
                if (std::any_of(offer.attributes.begin(), offer.attributes.end(),
                                [&](const auto& known) { return known.first == key; }))
                    fail(path, what + ".attributes has '" + key + "' twice");
                offer.attributes.emplace_back(key, word.substr(equals + 1));
            }
            operations_.push_back(std::move(offer));
        });
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

Outcome Plugin::convert(const mxcert_convert_args& args) { return call("convert", api_.convert, args); }
Outcome Plugin::run(const mxcert_run_args& args) { return call("run", api_.run, args); }
Outcome Plugin::convert_range(const mxcert_range_args& args) { return call("convert_range", api_.convert_range, args); }

template <class Args> Outcome Plugin::call(const char* name, std::int32_t (*function)(const Args*), const Args& args) {
    std::fesetenv(&theirs_);
    Outcome outcome_of_call;
    try {
        const std::int32_t status = function(&args);
        if (status != MXCERT_OK) outcome_of_call = outcome(name, status);
    } catch (const std::exception& e) {
        outcome_of_call = {MXCERT_ERROR, std::string(name) + "() threw an exception: " + e.what()};
    } catch (...) {
        outcome_of_call = {MXCERT_ERROR, std::string(name) + "() threw an exception"};
    }
    std::fesetenv(&ours_);
    return outcome_of_call;
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

void Plugin::close() {
    if (api_.close != nullptr) api_.close();
}

} // namespace mxcert::worker
