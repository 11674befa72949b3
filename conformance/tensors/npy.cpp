// SPDX-License-Identifier: Apache-2.0
// The header of a npy file: magic, version, length, and a Python dictionary of three keys.
#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/print/text.hpp"
#include "conformance/tensors/tensor_file.hpp"

namespace mxcert::tensors {
namespace {

constexpr std::size_t most_axes = 64; // NumPy has no more

[[noreturn]] void refuse(const std::string& what) { throw std::runtime_error("npy: " + what); }

/// What the three keys say.
struct Header {
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::uint64_t>> shape;
};

/// Reads the dictionary, of which NumPy writes only texts, True, False and tuples of whole numbers.
class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {}

    Header header() {
        Header header;
        expect('{', "the header is no dictionary");
        while (!take('}')) {
            const std::string key = quoted("a key");
            expect(':', "no ':' behind the key '" + print::printable(key) + "'");
            if (key == "descr")
                set(header.descr, key, descr());
            else if (key == "fortran_order")
                set(header.fortran_order, key, truth());
            else if (key == "shape")
                set(header.shape, key, tuple());
            else
                refuse("unknown key '" + print::printable(key) + "': expected descr, fortran_order and shape");
            if (take(',')) continue;
            expect('}', "neither ',' nor '}' behind a value");
            break;
        }
        skip_space();
        if (at_ != text_.size()) refuse(fmt::format("something follows the dictionary, at byte {} of the header", at_));
        return header;
    }

  private:
    template <class Value> static void set(std::optional<Value>& to, const std::string& key, Value value) {
        if (to) refuse("the key '" + key + "' stands twice");
        to = std::move(value);
    }

    void skip_space() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    }
    bool take(char wanted) {
        skip_space();
        if (at_ == text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }
    void expect(char wanted, const std::string& otherwise) {
        if (!take(wanted)) refuse(fmt::format("{}, at byte {} of the header", otherwise, at_));
    }
    bool take_word(std::string_view word) {
        skip_space();
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }

    std::string quoted(const char* what) {
        skip_space();
        const char quote = at_ < text_.size() ? text_[at_] : '\0';
        const std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
        if (end == std::string_view::npos) refuse(fmt::format("{} is no text, at byte {} of the header", what, at_));
        const std::string text(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return text;
    }
    std::string descr() {
        skip_space();
        if (at_ < text_.size() && text_[at_] == '[')
            refuse("'descr' is a list, of an array with fields: expected one type");
        return quoted("the value of 'descr'");
    }
    bool truth() {
        if (take_word("True")) return true;
        if (!take_word("False")) refuse("'fortran_order' is neither True nor False");
        return false;
    }
    std::vector<std::uint64_t> tuple() {
        std::vector<std::uint64_t> sizes;
        expect('(', "'shape' is no tuple");
        while (!take(')')) {
            skip_space();
            std::uint64_t size = 0;
            const char* begin = text_.data() + at_;
            const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), size);
            if (error == std::errc::result_out_of_range) refuse("a size of 'shape' does not fit 64 bits");
            if (error != std::errc{}) refuse("a size of 'shape' is no whole number");
            at_ += static_cast<std::size_t>(end - begin);
            sizes.push_back(size);
            if (sizes.size() > most_axes) refuse(fmt::format("'shape' has more than {} axes", most_axes));
            if (take(',')) continue;
            if (sizes.size() == 1) refuse("'shape' is no tuple: (n) is a number, (n,) a tuple");
            expect(')', "neither ',' nor ')' behind a size of 'shape'");
            break;
        }
        return sizes;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// A type that NumPy has, and the format it holds; null: one of so many bytes, which the dtype says.
struct Type {
    std::string_view descr;
    const Format* format;
    int bytes;
};
constexpr Type types[] = {
    {"<f8", &formats::fp64, 8}, {"<f4", &formats::fp32, 4}, {"<f2", &formats::fp16, 2},
    {"<u2", nullptr, 2},        {"<V2", nullptr, 2},        {"|V2", nullptr, 2},
    {"|u1", nullptr, 1},        {"<u1", nullptr, 1},        {"|V1", nullptr, 1},
};

bool is_taken(const Format& format, Taken taken) {
    return std::find(taken.begin(), taken.end(), &format) != taken.end();
}

/// Whether a type is only raw bytes of the format.
bool holds(const Type& type, const Format& format) {
    const bool has_own =
        std::any_of(std::begin(types), std::end(types), [&](const Type& row) { return row.format == &format; });
    return type.format == nullptr ? !has_own && format.bytes() == type.bytes : type.format == &format;
}

/// "'<f4', '<f2', and with --dtype bf16 '<u2', '<V2' and '|V2' are taken".
std::string taken_types(Taken taken) {
    std::vector<std::string> parts;
    for (const Type& type : types)
        if (type.format != nullptr && is_taken(*type.format, taken)) parts.push_back(fmt::format("'{}'", type.descr));
    for (const int bytes : {2, 1}) {
        std::vector<std::string_view> names;
        std::vector<std::string> descrs;
        for (const Type& type : types) {
            if (type.format != nullptr || type.bytes != bytes) continue;
            descrs.push_back(fmt::format("'{}'", type.descr));
            for (const Format* format : taken)
                if (holds(type, *format) && descrs.size() == 1) names.push_back(format->name);
        }
        if (names.empty()) continue;
        parts.push_back(fmt::format("with --dtype {} {}", fmt::join(names, ", "), fmt::join(descrs, ", ")));
    }
    return fmt::format("{} are taken", fmt::join(parts, ", "));
}

const Format& format_of(const std::string& descr, const Format* dtype, Taken taken) {
    if (descr.starts_with('>'))
        refuse(fmt::format("'{}' is big-endian: {} (array.astype(array.dtype.newbyteorder('<')) turns it)",
                           print::printable(descr), taken_types(taken)));
    const auto* const type =
        std::find_if(std::begin(types), std::end(types), [&](const Type& row) { return row.descr == descr; });
    const bool known = type != std::end(types) &&
                       std::any_of(taken.begin(), taken.end(), [&](const Format* f) { return holds(*type, *f); });
    if (!known) refuse(fmt::format("the type '{}' is not taken: {}", print::printable(descr), taken_types(taken)));
    const Format* format = dtype != nullptr ? dtype : type->format;
    if (format == nullptr || !holds(*type, *format))
        refuse(fmt::format("the type '{}' is {}: {}", descr,
                           dtype == nullptr ? "not that of numbers" : "not that of --dtype", taken_types(taken)));
    return *format;
}

std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = bytes.size(); i-- != 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
    return number;
}

} // namespace

std::string_view npy_type_of(const Format* format) {
    const Format& held = format == nullptr ? formats::e4m3 : *format; // any of a byte
    return std::find_if(std::begin(types), std::end(types), [&](const Type& row) { return holds(row, held); })->descr;
}

TensorInfo parse_npy(std::string_view head, std::uint64_t file_bytes, const Format* dtype, Taken taken) {
    if (!head.starts_with(npy_magic)) refuse("the file does not begin with \\x93NUMPY");
    constexpr std::size_t version_at = npy_magic.size();
    constexpr std::size_t length_at = version_at + 2;
    if (head.size() < length_at) refuse("the file ends within its header");
    const int version = static_cast<unsigned char>(head[version_at]);
    const int minor = static_cast<unsigned char>(head[version_at + 1]);
    if (version < 1 || version > 3 || minor != 0)
        refuse(fmt::format("version {}.{}: 1.0, 2.0 and 3.0 are known", version, minor));
    const std::size_t start = length_at + (version == 1 ? 2 : 4);
    if (head.size() < start) refuse("the file ends within its header");
    const std::uint64_t length = little_endian(head.substr(length_at, start - length_at));
    if (length > max_npy_header)
        refuse(fmt::format("a header of {} bytes: no more than {} are read", length, max_npy_header));
    if (length > head.size() - start) refuse("the file ends within its header");

    const Header header = Reader(head.substr(start, static_cast<std::size_t>(length))).header();
    for (const auto& [key, there] :
         {std::pair("descr", header.descr.has_value()), std::pair("fortran_order", header.fortran_order.has_value()),
          std::pair("shape", header.shape.has_value())})
        if (!there) refuse(fmt::format("the key '{}' is missing", key));
    TensorInfo info;
    info.format = &format_of(*header.descr, dtype, taken);
    if (*header.fortran_order)
        refuse("columns first (fortran_order): expected rows first, as numpy.ascontiguousarray(array) makes it");
    info.shape = *header.shape;
    try {
        info.values = values_of(info.shape);
    } catch (const std::invalid_argument& error) {
        refuse(error.what());
    }
    info.offset = start + length;
    const std::uint64_t wanted = info.values * static_cast<unsigned>(info.format->bytes());
    const std::uint64_t found = file_bytes - std::min(file_bytes, info.offset);
    if (found != wanted)
        refuse(fmt::format("{}: the shape {} of {} takes {} bytes, and {} follow the header",
                           found < wanted ? "cut off" : "more than the values", shape_text(info.shape),
                           info.format->name, wanted, found));
    return info;
}

} // namespace mxcert::tensors
