// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A backend in C++17: conversions and operations as functions, a line each. Needs backend.h and the standard library.
///
///     #include "conformance/backend.hpp"
///
///     const mxcert_api* mxcert_get_api(std::uint32_t version) {
///         static mxcert::backend::Backend mine("mine", "1.0", "what code this is, on what it runs", {
///             {"fp32", "e4m3", "nearest_even", "sat", [](float x) { return f(x); }},
///         });
///         return mine.api(version);
///     }
///
/// Values are float or double, or their bits as an unsigned integer; FP16 and BF16 are std::uint16_t, codes of up to 8
/// bits std::uint8_t. A function that throws has failed, with what() as the reason; one that throws Unsupported does
/// not do it on this machine. The names are those of `mxcert formats` and `mxcert choices`, the rules those of
/// backend.h.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/backend.h"

namespace mxcert::backend {

/// Thrown where this machine or build cannot do what was offered.
struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

namespace detail {

template <class T> inline constexpr bool is_value = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                                    (std::is_integral_v<T> && std::is_unsigned_v<T>);

/// Bytes of a value of a format in the arrays of backend.h, without a given scale.
inline std::size_t bytes_of(std::string_view format) {
    for (const std::string_view prefix : {"amax_", "relu_"})
        if (format.substr(0, prefix.size()) == prefix) format.remove_prefix(prefix.size());
    const auto begins = [&](std::string_view name) { return format.substr(0, name.size()) == name; };
    return begins("fp64") ? 8 : begins("fp32") ? 4 : begins("fp16") || begins("bf16") ? 2 : 1;
}

/// Calls a function for a batch. It has one of the forms that Conversion lists.
template <class Out, class... Arguments> struct Call;

template <class Out, class In> struct Call<Out, In> {
    static_assert(is_value<Out> && is_value<In>, "take and return float, double or an unsigned integer");
    static constexpr std::size_t in = sizeof(In), out = sizeof(Out);
    static constexpr std::uint8_t has_flags = 0;
    template <class Function> static void run(const Function& function, const mxcert_convert_args& args) {
        const auto* input = static_cast<const In*>(args.input);
        auto* output = static_cast<Out*>(args.output);
        for (std::uint64_t i = 0; i < args.count; ++i) output[i] = function(input[i]);
    }
};

/// With random bits of each value, or the scale of them all.
template <class Out, class In, class More> struct Call<Out, In, More> {
    static_assert(is_value<Out> && is_value<In>, "take and return float, double or an unsigned integer");
    static_assert(std::is_same_v<More, std::uint32_t> || std::is_same_v<More, std::uint8_t>,
                  "the second argument is std::uint32_t, random bits, std::uint8_t, a given scale, or std::uint8_t&, "
                  "the exceptions");
    static constexpr std::size_t in = sizeof(In), out = sizeof(Out);
    static constexpr std::uint8_t has_flags = 0;
    template <class Function> static void run(const Function& function, const mxcert_convert_args& args) {
        const auto* input = static_cast<const In*>(args.input);
        auto* output = static_cast<Out*>(args.output);
        for (std::uint64_t i = 0; i < args.count; ++i) {
            if constexpr (std::is_same_v<More, std::uint32_t>)
                output[i] = function(input[i], args.random == nullptr ? 0 : args.random[i]);
            else
                output[i] = function(input[i], static_cast<std::uint8_t>(args.scale));
        }
    }
};

/// With the exceptions of each value.
template <class Out, class In> struct Call<Out, In, std::uint8_t&> {
    static_assert(is_value<Out> && is_value<In>, "take and return float, double or an unsigned integer");
    static constexpr std::size_t in = sizeof(In), out = sizeof(Out);
    static constexpr std::uint8_t has_flags = MXCERT_FLAGS_OF_VALUES;
    template <class Function> static void run(const Function& function, const mxcert_convert_args& args) {
        const auto* input = static_cast<const In*>(args.input);
        auto* output = static_cast<Out*>(args.output);
        std::uint8_t* const flags = MXCERT_FLAGS(&args);
        for (std::uint64_t i = 0; i < args.count; ++i) {
            std::uint8_t raised = 0;
            output[i] = function(input[i], raised);
            if (flags != nullptr) flags[i] = raised;
        }
    }
};

template <class In, class Out> struct Call<void, const In*, Out*, std::size_t> {
    static_assert(is_value<Out> && is_value<In>, "arrays are of float, double or an unsigned integer");
    static constexpr std::size_t in = sizeof(In), out = sizeof(Out);
    static constexpr std::uint8_t has_flags = 0;
    template <class Function> static void run(const Function& function, const mxcert_convert_args& args) {
        function(static_cast<const In*>(args.input), static_cast<Out*>(args.output),
                 static_cast<std::size_t>(args.count));
    }
};

/// With the exceptions of the batch.
template <class In, class Out> struct Call<void, const In*, Out*, std::size_t, std::uint8_t&> {
    static_assert(is_value<Out> && is_value<In>, "arrays are of float, double or an unsigned integer");
    static constexpr std::size_t in = sizeof(In), out = sizeof(Out);
    static constexpr std::uint8_t has_flags = MXCERT_FLAGS_OF_BATCH;
    template <class Function> static void run(const Function& function, const mxcert_convert_args& args) {
        std::uint8_t raised = 0;
        function(static_cast<const In*>(args.input), static_cast<Out*>(args.output),
                 static_cast<std::size_t>(args.count), raised);
        if (std::uint8_t* const flags = MXCERT_FLAGS(&args)) *flags = raised;
    }
};

template <> struct Call<void, const mxcert_convert_args&> {
    static constexpr std::size_t in = 0, out = 0; // as the function takes them
    static constexpr std::uint8_t has_flags = 0;
    template <class Function> static void run(const Function& function, const mxcert_convert_args& args) {
        function(args);
    }
};

/// The call of a lambda, a function object or a pointer to a function.
template <class Function> struct CallOf : CallOf<decltype(&Function::operator())> {};
template <class Out, class... A> struct CallOf<Out (*)(A...)> : Call<Out, A...> {};
template <class Out, class... A> struct CallOf<Out (*)(A...) noexcept> : Call<Out, A...> {};
template <class T, class Out, class... A> struct CallOf<Out (T::*)(A...) const> : Call<Out, A...> {};
template <class T, class Out, class... A> struct CallOf<Out (T::*)(A...) const noexcept> : Call<Out, A...> {};

/// The types of a function on a block.
template <class Function> struct Block : Block<decltype(&Function::operator())> {};
template <class In> struct Block<std::uint8_t (*)(const In*, std::size_t, std::uint8_t*)> { using Value = In; };
template <class T, class In> struct Block<std::uint8_t (T::*)(const In*, std::size_t, std::uint8_t*) const> {
    using Value = In;
};
template <class Out> struct Block<void (*)(const std::uint8_t*, std::size_t, std::uint8_t, Out*)> {
    using Value = Out;
};
template <class T, class Out> struct Block<void (T::*)(const std::uint8_t*, std::size_t, std::uint8_t, Out*) const> {
    using Value = Out;
};

} // namespace detail

/// One conversion and the function that does it, which has one of these forms:
///
///     Out f(In value)                                          // one value
///     Out f(In value, std::uint32_t random)                    // below 2^random_bits, for a stochastic rounding
///     Out f(In value, std::uint8_t scale)                      // of a source with a given scale: an E8M0 code
///     Out f(In value, std::uint8_t& flags)                     // adds the exceptions: MXCERT_INEXACT, ...
///     void f(const In* values, Out* results, std::size_t count) // a batch, of any count
///     void f(const In* values, Out* results, std::size_t count, std::uint8_t& flags) // and its exceptions, together
///     void f(const mxcert_convert_args& args)                  // a batch, with all that backend.h says of it
struct Conversion {
    template <class Function> Conversion(const char* source_, const char* target_, const char* rounding_,
                                         const char* overflow_, Function function, std::uint32_t random_bits_ = 0)
        : source(source_), target(target_), rounding(rounding_), overflow(overflow_), random_bits(random_bits_),
          in(detail::CallOf<Function>::in), out(detail::CallOf<Function>::out),
          has_flags(detail::CallOf<Function>::has_flags),
          run([function](const mxcert_convert_args& args) { detail::CallOf<Function>::run(function, args); }) {}

    const char* source;
    const char* target;
    const char* rounding;
    const char* overflow;
    std::uint32_t random_bits;
    std::size_t in; ///< bytes of a value that the function takes; 0: it says itself
    std::size_t out;
    std::uint8_t has_flags; ///< whose exceptions the function tells too: MXCERT_FLAGS_OF_BATCH, ...; 0: none
    std::function<void(const mxcert_convert_args&)> run;
};

/// The arrays of one run of an operation.
class Run {
  public:
    explicit Run(const mxcert_run_args& args) : args_(args) {}

    /// Sizes, as the operation says in docs/operations.md: rows, columns and block, or m, n and k.
    [[nodiscard]] std::size_t shape(std::size_t at) const { return static_cast<std::size_t>(args_.shape[at]); }

    /// An array, and how many values it has. Throws std::out_of_range if there is none of that number,
    /// std::invalid_argument if its values have another size than T.
    template <class T> [[nodiscard]] const T* input(std::size_t at) const {
        return static_cast<const T*>(array(args_.inputs, args_.input_count, at, sizeof(T), "input").data);
    }
    template <class T> [[nodiscard]] T* output(std::size_t at) const {
        return static_cast<T*>(array(args_.outputs, args_.output_count, at, sizeof(T), "output").data);
    }
    [[nodiscard]] std::size_t input_count(std::size_t at) const {
        return static_cast<std::size_t>(array(args_.inputs, args_.input_count, at, 0, "input").count);
    }
    [[nodiscard]] std::size_t output_count(std::size_t at) const {
        return static_cast<std::size_t>(array(args_.outputs, args_.output_count, at, 0, "output").count);
    }

  private:
    static const mxcert_array& array(const mxcert_array* arrays, std::uint32_t count, std::size_t at, std::size_t width,
                                     const char* what) {
        const std::string name = std::string(what) + ' ' + std::to_string(at);
        if (at >= count) throw std::out_of_range("there is no " + name + ", there are " + std::to_string(count));
        if (width != 0 && arrays[at].width != width)
            throw std::invalid_argument(name + " has values of " + std::to_string(arrays[at].width) +
                                        " bytes, the function takes them as " + std::to_string(width));
        return arrays[at];
    }

    const mxcert_run_args& args_;
};

/// One operation on arrays, with all of its attributes as "key=value key=value", and the function that runs it.
struct Operation {
    Operation(const char* name_, const char* attributes_, std::function<void(const Run&)> run_)
        : name(name_), attributes(attributes_), run(std::move(run_)) {}

    const char* name;
    const char* attributes;
    std::function<void(const Run&)> run;
    std::string problem; ///< why it cannot be offered; "" if it can
};

namespace detail {

/// Calls visit(block number, its first value, distance between its values, number of its values) for every block of a
/// matrix in rows; the blocks are numbered as their scales lie.
template <class Visit> void for_each_block(const Run& run, bool is_row, const Visit& visit) {
    const std::size_t rows = run.shape(0), columns = run.shape(1), size = run.shape(2);
    const std::size_t length = is_row ? columns : rows;
    const std::size_t lines = is_row ? rows : columns;
    const std::size_t blocks = (length + size - 1) / size;
    for (std::size_t line = 0; line < lines; ++line) {
        for (std::size_t block = 0; block < blocks; ++block) {
            const std::size_t begin = block * size;
            const std::size_t count = std::min(size, length - begin);
            if (is_row)
                visit(line * blocks + block, line * columns + begin, std::size_t{1}, count);
            else
                visit(block * columns + line, begin * columns + line, columns, count);
        }
    }
}

inline bool has(std::string_view attributes, std::string_view what) {
    return (' ' + std::string(attributes) + ' ').find(what) != std::string::npos;
}

inline Operation checked_blocks(Operation operation) {
    for (const char* attribute : {" packing=", " layout="})
        if (has(operation.attributes, attribute))
            operation.problem = "elements and scales come a byte each, in rows: with" +
                                std::string(attribute, std::string_view(attribute).size() - 1) +
                                " offer an Operation that fills the arrays of its run itself";
    return operation;
}

} // namespace detail

/// The operation `quantize` from a function on one block, whatever the axis:
///
///     std::uint8_t f(const In* values, std::size_t count, std::uint8_t* elements) // returns the scale
///
/// `count` is the size of a block, or less in the last one of a row or column.
template <class Function> Operation quantizer(const char* attributes, Function function) {
    using In = typename detail::Block<Function>::Value;
    const bool is_row = detail::has(attributes, " axis=row ");
    return detail::checked_blocks(
        {"quantize", attributes, [function, is_row](const Run& run) {
             std::vector<In> values;
             std::vector<std::uint8_t> elements;
             detail::for_each_block(
                 run, is_row, [&](std::size_t number, std::size_t at, std::size_t step, std::size_t n) {
                     values.resize(n);
                     elements.assign(n, 0);
                     for (std::size_t i = 0; i < n; ++i) values[i] = run.input<In>(0)[at + i * step];
                     run.output<std::uint8_t>(1)[number] = function(values.data(), n, elements.data());
                     for (std::size_t i = 0; i < n; ++i) run.output<std::uint8_t>(0)[at + i * step] = elements[i];
                 });
         }});
}

/// The operation `dequantize` from a function on one block:
///
///     void f(const std::uint8_t* elements, std::size_t count, std::uint8_t scale, Out* values)
template <class Function> Operation dequantizer(const char* attributes, Function function) {
    using Out = typename detail::Block<Function>::Value;
    const bool is_row = detail::has(attributes, " axis=row ");
    return detail::checked_blocks(
        {"dequantize", attributes, [function, is_row](const Run& run) {
             std::vector<std::uint8_t> elements;
             std::vector<Out> values;
             detail::for_each_block(run, is_row,
                                    [&](std::size_t number, std::size_t at, std::size_t step, std::size_t n) {
                                        elements.resize(n);
                                        values.assign(n, Out{});
                                        for (std::size_t i = 0; i < n; ++i)
                                            elements[i] = run.input<std::uint8_t>(0)[at + i * step];
                                        function(elements.data(), n, run.input<std::uint8_t>(1)[number], values.data());
                                        for (std::size_t i = 0; i < n; ++i)
                                            run.output<Out>(0)[at + i * step] = values[i];
                                    });
         }});
}

/// A backend. One in a library: api() gives out the last one that was asked.
class Backend {
  public:
    /// `name` without spaces, `version` that of the code under test, `description` a line for people. There is at least
    /// one conversion or operation.
    Backend(std::string name, std::string version, std::string description, std::vector<Conversion> conversions,
            std::vector<Operation> operations = {})
        : name_(std::move(name)), version_(std::move(version)), description_(std::move(description)),
          conversions_(std::move(conversions)), operations_(std::move(operations)) {}

    /// `function` gets the text of --backend-option before the first request. An exception from it answers every
    /// request.
    Backend& on_open(std::function<void(const std::string&)> function) {
        open_ = std::move(function);
        return *this;
    }
    /// Called once at the end.
    Backend& on_close(std::function<void()> function) {
        close_ = std::move(function);
        return *this;
    }
    /// The most values that a conversion may get at once.
    Backend& max_batch(std::uint64_t count) {
        api_.max_batch = count;
        return *this;
    }
    /// All processes would share one device: one asks, unless --jobs says how many.
    Backend& one_worker() {
        api_.flags |= MXCERT_ONE_WORKER;
        return *this;
    }

    /// The result of mxcert_get_api(). It and this object must stay as they are from then on.
    const mxcert_api* api(std::uint32_t host_abi_major) {
        if (host_abi_major != MXCERT_ABI_MAJOR) return nullptr;
        current() = this;
        problem_ = problem();
        // Field by field: a later version of backend.h has more of them.
        offered_conversions_.assign(conversions_.size(), mxcert_conversion{});
        for (std::size_t i = 0; i < conversions_.size(); ++i) {
            mxcert_conversion& offer = offered_conversions_[i];
            offer.struct_size = sizeof offer;
            offer.random_bits = conversions_[i].random_bits;
            offer.source = conversions_[i].source;
            offer.target = conversions_[i].target;
            offer.rounding = conversions_[i].rounding;
            offer.overflow = conversions_[i].overflow;
        }
        has_flags_.clear();
        for (const Conversion& conversion : conversions_) has_flags_.push_back(conversion.has_flags);
        offered_operations_.assign(operations_.size(), mxcert_operation{});
        for (std::size_t i = 0; i < operations_.size(); ++i) {
            mxcert_operation& offer = offered_operations_[i];
            offer.struct_size = sizeof offer;
            offer.name = operations_[i].name;
            offer.attributes = operations_[i].attributes;
        }
        api_.struct_size = sizeof api_;
        api_.abi_major = MXCERT_ABI_MAJOR;
        api_.abi_minor = MXCERT_ABI_MINOR;
        api_.conversion_count = static_cast<std::uint32_t>(offered_conversions_.size());
        api_.conversions = offered_conversions_.data();
        api_.has_flags = has_flags_.data();
        api_.name = name_.c_str();
        api_.version = version_.c_str();
        api_.description = description_.c_str();
        api_.open = [](const char* options) { return current()->open(options); };
        api_.convert = [](const mxcert_convert_args* args) {
            return current()->guard([&] { current()->conversions_.at(args->conversion).run(*args); });
        };
        api_.last_error = [] { return current()->error_.c_str(); };
        api_.close = [] {
            if (current()->close_) static_cast<void>(current()->guard(current()->close_));
        };
        api_.operation_count = static_cast<std::uint32_t>(offered_operations_.size());
        api_.operations = offered_operations_.data();
        api_.run = [](const mxcert_run_args* args) {
            return current()->guard([&] { current()->operations_.at(args->operation).run(Run(*args)); });
        };
        return &api_;
    }

  private:
    static Backend*& current() {
        static Backend* last = nullptr;
        return last;
    }

    std::int32_t open(const char* options) {
        return guard([&] {
            if (!problem_.empty()) throw std::invalid_argument(problem_);
            if (open_) open_(options);
        });
    }

    template <class Function> std::int32_t guard(const Function& function) {
        try {
            function();
            return MXCERT_OK;
        } catch (const Unsupported& reason) {
            error_ = reason.what();
            return MXCERT_UNSUPPORTED;
        } catch (const std::exception& reason) {
            error_ = reason.what();
        } catch (...) {
            error_ = "an exception that is no std::exception";
        }
        return MXCERT_ERROR;
    }

    /// Why not all of it can be asked: the compiler knows the types of a function and not the names beside it.
    [[nodiscard]] std::string problem() const {
        for (const Conversion& offer : conversions_) {
            const std::string name = std::string(offer.source) + " to " + offer.target;
            for (const auto& [format, bytes, does] :
                 {std::tuple(offer.source, offer.in, "takes"), std::tuple(offer.target, offer.out, "returns")})
                if (bytes != 0 && bytes != detail::bytes_of(format))
                    return name + ": the function " + does + " values of " + std::to_string(bytes) + " bytes, " +
                           format + " has " + std::to_string(detail::bytes_of(format));
        }
        for (const Operation& offer : operations_)
            if (!offer.problem.empty()) return std::string(offer.name) + ": " + offer.problem;
        return {};
    }

    std::string name_, version_, description_;
    std::vector<Conversion> conversions_;
    std::vector<Operation> operations_;
    std::function<void(const std::string&)> open_;
    std::function<void()> close_;
    mxcert_api api_{};
    std::vector<mxcert_conversion> offered_conversions_;
    std::vector<std::uint8_t> has_flags_;
    std::vector<mxcert_operation> offered_operations_;
    std::string problem_;
    std::string error_;
};

} // namespace mxcert::backend
