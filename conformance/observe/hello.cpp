// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/hello.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "conformance/frames/frame_json.hpp"
#include "conformance/frames/frames.hpp"
#include "conformance/print/text.hpp"

namespace mxcert::observe {
namespace {

constexpr std::size_t max_text = 300;    ///< bytes of a name or description that are kept
constexpr std::size_t max_offers = 4096; ///< more are no list a person wrote

std::string text_of(const nlohmann::json& object, const char* key) {
    const auto at = object.find(key);
    if (at == object.end() || at->is_null()) return {};
    if (!at->is_string()) throw std::runtime_error(std::string("its HELLO has a '") + key + "' that is not a text");
    return print::printable(at->get_ref<const std::string&>().substr(0, max_text));
}

Conversion conversion_of(const nlohmann::json& offer) {
    unsigned random_bits = 0;
    if (const auto bits = offer.find("random_bits"); bits != offer.end()) {
        if (!bits->is_number_unsigned() || bits->get<std::uint64_t>() > 32)
            throw std::runtime_error("random_bits is not a number from 0 to 32");
        random_bits = bits->get<unsigned>();
    }
    return make_conversion(text_of(offer, "source"), text_of(offer, "target"), text_of(offer, "rounding"),
                           text_of(offer, "overflow"), random_bits);
}

Operation operation_of(const nlohmann::json& offer) {
    const auto member = offer.find("attributes");
    if (member == offer.end() || !member->is_object()) throw std::runtime_error("no object 'attributes'");
    std::vector<std::pair<std::string, std::string>> attributes;
    for (const auto& [key, value] : member->items()) attributes.emplace_back(key, text_of(*member, key.c_str()));
    return make_operation(text_of(offer, "name"), attributes);
}

// Takes each of a list of offers that `read` understands, and its position; the others become text with the reason.
template <class Offer> void take_offers(const nlohmann::json& list, const std::string& kind, const std::string& name,
                                        Offer (*read)(const nlohmann::json&), std::vector<Offer>& known,
                                        std::vector<std::uint32_t>& positions, std::vector<std::string>& unknown) {
    if (list.size() > max_offers)
        throw std::runtime_error(name + ": its HELLO offers " + std::to_string(list.size()) + " " + kind +
                                 ", the limit is " + std::to_string(max_offers));
    for (std::size_t i = 0; i < list.size(); ++i) {
        const nlohmann::json& offer = list[i];
        const std::string shown =
            print::printable(offer.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, max_text));
        try {
            if (!offer.is_object()) throw std::runtime_error("not an object");
            const Offer this_offer = read(offer);
            if (std::find(known.begin(), known.end(), this_offer) != known.end())
                throw std::runtime_error("offered twice");
            known.push_back(this_offer);
            positions.push_back(static_cast<std::uint32_t>(i));
        } catch (const std::exception& error) {
            unknown.push_back(shown + ": " + error.what());
        }
    }
}

} // namespace

Hello parse_hello(std::string_view json, const std::string& name) {
    nlohmann::json content;
    try {
        content = frames::json_of_frame(std::as_bytes(std::span(json)));
    } catch (const frames::Error& error) {
        throw std::runtime_error(name + ": broken HELLO: " + error.what());
    }
    return hello_of(content, name);
}

Hello hello_of(const nlohmann::json& content, const std::string& name) {
    const auto backend = content.find("backend");
    if (backend == content.end() || !backend->is_object())
        throw std::runtime_error(name + ": its HELLO has no object 'backend'");
    const auto offers = content.find("conversions");
    if (offers == content.end() || !offers->is_array())
        throw std::runtime_error(name + ": its HELLO has no list 'conversions'");
    Hello hello;
    hello.info.name = text_of(*backend, "name");
    if (hello.info.name.empty()) hello.info.name = print::printable(name);
    hello.info.version = text_of(*backend, "version");
    hello.info.description = text_of(*backend, "description");
    hello.build = text_of(*backend, "build");
    take_offers(*offers, "conversions", name, conversion_of, hello.info.conversions, hello.indices, hello.info.unknown);
    if (const auto packages = content.find("packages"); packages != content.end()) {
        if (!packages->is_object() || packages->size() > max_offers)
            throw std::runtime_error(name + ": its HELLO has 'packages' that are no names with versions");
        for (const auto& [package, version] : packages->items())
            hello.info.packages[print::printable(package.substr(0, max_text))] = text_of(*packages, package.c_str());
    }
    if (const auto most = content.find("max_batch"); most != content.end()) {
        if (!most->is_number_unsigned())
            throw std::runtime_error(name + ": its HELLO has a 'max_batch' that is no number");
        hello.info.max_batch = most->get<std::uint64_t>();
    }
    if (const auto one = content.find("one_worker"); one != content.end()) {
        if (!one->is_boolean())
            throw std::runtime_error(name + ": its HELLO has a 'one_worker' that is neither true nor false");
        hello.info.one_worker = one->get<bool>();
    }
    const auto operations = content.find("operations");
    if (operations == content.end()) return hello;
    if (!operations->is_array()) throw std::runtime_error(name + ": its HELLO has 'operations' that are no list");
    take_offers(*operations, "operations", name, operation_of, hello.info.operations, hello.operations,
                hello.info.unknown);
    return hello;
}

} // namespace mxcert::observe
