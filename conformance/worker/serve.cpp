// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/serve.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "conformance/frames/words.hpp"
#include "conformance/worker/inputs.hpp"
#include "conformance/worker/refused.hpp"

namespace mxcert::worker {
namespace {

using frames::Inputs;
using frames::Type;
using nlohmann::json;

/// Values a call where the request does not say: inputs and outputs of a batch then stay in the first-level cache.
constexpr std::uint64_t default_batch = 4'096;

/// A generated batch starts where it would start in one long buffer: at no better an alignment than its position has.
constexpr std::uint64_t positions = 16;

void write_json(int fd, Type type, std::uint64_t id, const json& content) {
    // A plugin's text need not be UTF-8; what is not becomes U+FFFD.
    const std::string text = content.dump(-1, ' ', false, json::error_handler_t::replace);
    frames::write_frame(fd, type, id, text.data(), text.size());
}

/// The values of as many codes as have the scale of the first, up to `count`; how many those are.
std::uint64_t take_values(const Format& from, const std::byte* codes, std::uint64_t count, std::byte* values,
                          std::uint32_t& scale) {
    const unsigned in = frames::bytes_of(from);
    const unsigned out = frames::bytes_of(*from.value);
    for (std::uint64_t i = 0; i < count; ++i) {
        const Code code = frames::load(codes + i * in, in);
        if (i == 0) scale = static_cast<std::uint32_t>(from.scale_of(code));
        if (from.scale_of(code) != scale) return i;
        frames::store(values + i * out, from.value_of(code), out);
    }
    return count;
}

/// How many of so many codes, from the first on, have its scale.
std::uint64_t count_of_scale(const Format& from, Code first, std::uint64_t count) {
    return std::min(count - 1, from.value_mask() - from.value_of(first)) + 1;
}

/// Throws Refused for streams that pass the last code of the source, or that have several scales.
void check_interleaved(const frames::ConvertRequest& request, const frames::Interleaved& streams, const Offer& offer) {
    const Format& from = *offer.from;
    const Code last = from.last_code();
    if (request.count > ~request.first) refuse_request("the positions pass 2^64");
    for (const Code first : streams.firsts) {
        if (first > last || streams.length - 1 > last - first)
            refuse_request("the stream of " + std::to_string(streams.length) + " codes from " + std::to_string(first) +
                           " passes the last code of " + offer.source);
        if (from.scale != nullptr && (from.scale_of(first) != from.scale_of(streams.firsts.front()) ||
                                      from.scale_of(first + streams.length - 1) != from.scale_of(first)))
            refuse_request("streams of several scales of " + offer.source);
    }
}

/// Throws Refused for a range that passes the last code of the source.
void check_range(Code first, std::uint64_t count, const Offer& offer) {
    const Code last = offer.from->last_code();
    if (first > last || count - 1 > last - first)
        refuse_request("the range of " + std::to_string(count) + " codes from " + std::to_string(first) +
                       " passes the last code of " + offer.source);
}

/// Throws Refused if these are not the steps of what was asked.
void check_steps(const mxcert_range_args& args, const Offer& offer) {
    const unsigned out = frames::bytes_of(*offer.to);
    const auto wrong = [](const std::string& how) { throw Refused(MXCERT_ERROR, "convert_range() gave " + how); };
    const std::uint64_t end = args.first + args.count;
    std::uint64_t next = args.first;
    for (std::uint64_t i = 0; i < *args.step_count; ++i) {
        const mxcert_step& step = args.steps[i];
        if (step.last < next || step.last >= end)
            wrong("step " + std::to_string(i) + " up to " + std::to_string(step.last) + ", not within " +
                  std::to_string(next) + " to " + std::to_string(end - 1));
        if (out < sizeof(Code) && step.code >> (8 * out) != 0)
            wrong("the code " + std::to_string(step.code) + ", which is not a value of " + std::to_string(out) +
                  " bytes");
        next = step.last + 1;
    }
    if (*args.step_count == 0) wrong("no steps");
    if (next != end) wrong("steps up to " + std::to_string(next - 1) + " of a range up to " + std::to_string(end - 1));
}

// A conversion of START among the offers. The requests of a file were written without knowing them.
Server::Asked find_offer(const json& wanted, const std::vector<Offer>& offers) {
    const auto text = [&](const char* name) { return wanted.at(name).get<std::string>(); };
    const auto bits = wanted.at("random_bits").get<std::uint64_t>();
    const std::string source = text("source");
    const std::string target = text("target");
    const std::string rounding = text("rounding");
    const std::string overflow = text("overflow");
    for (std::uint32_t i = 0; i < offers.size(); ++i) {
        const Offer& offer = offers[i];
        if (offer.source == source && offer.target == target && offer.rounding == rounding &&
            offer.overflow == overflow && offer.random_bits == bits)
            return {i, {}};
    }
    return {0, source + " to " + target + ", " + rounding + ", " + overflow};
}

} // namespace

void refuse(const Streams& streams, const std::string& reason) {
    write_json(streams.answers, Type::hello, 0, {{"protocol", frames::version}, {"error", reason}});
}

void Server::run() {
    hello();
    frames::Reader reader(streams_.requests);
    while (const auto frame = reader.next()) {
        const Type type = frame->header.type;
        if (type == Type::end) return end(*frame);
        if (type == Type::start && !started_) {
            start(frame->payload);
        } else if (type == Type::convert && started_) {
            answer(*frame, [this](const frames::Frame& frame) { return convert(frame); });
        } else if (type == Type::range && started_) {
            answer(*frame, [this](const frames::Frame& frame) { return make_range(frame); });
        } else if ((type == Type::run || type == Type::run_shared) && started_) {
            answer(*frame, [this](const frames::Frame& frame) { return run_operation(frame); });
        } else {
            throw frames::Error("frame of type " + std::to_string(static_cast<unsigned>(type)) +
                                (started_ ? " after START" : " before START"));
        }
    }
    throw frames::Error("the requests end without END");
}

void Server::hello() const {
    json conversions = json::array();
    for (const Offer& offer : plugin_.offers()) {
        conversions.push_back({{"source", offer.source},
                               {"target", offer.target},
                               {"rounding", offer.rounding},
                               {"overflow", offer.overflow},
                               {"random_bits", offer.random_bits}});
    }
    json operations = json::array();
    for (const OperationOffer& offer : plugin_.operations()) {
        json attributes = json::object();
        for (const auto& [key, value] : offer.attributes) attributes[key] = value;
        operations.push_back({{"name", offer.name}, {"attributes", attributes}});
    }
    write_json(streams_.answers, Type::hello, 0,
               {{"protocol", frames::version},
                {"backend",
                 {{"name", plugin_.name()}, {"version", plugin_.version()}, {"description", plugin_.description()}}},
                {"conversions", conversions},
                {"operations", operations},
                {"shared", true},
                {"shared_runs", true},
                {"ranges", plugin_.has_ranges()},
                {"interleaved", true},
                {"max_batch", plugin_.max_batch()},
                {"one_worker", plugin_.has_one_worker()}});
}

void Server::start(std::span<const std::byte> payload) {
    started_ = true;
    try {
        const auto* text = reinterpret_cast<const char*>(payload.data());
        const json content = json::parse(text, text + payload.size());
        if (const json& protocol = content.at("protocol"); protocol != frames::version)
            throw std::runtime_error("protocol " + (protocol.is_number() ? protocol.dump() : "that is no number") +
                                     ", this worker speaks " + std::to_string(frames::version));
        if (const json& shared = content.at("shared"); !shared.is_null()) {
            const json& fd = shared.at("fd");
            const json& bytes = shared.at("bytes");
            // get() would make some other number fit; the conversion of a large double is not even defined.
            if (!fd.is_number_integer() || fd != fd.get<int>())
                throw std::runtime_error("the descriptor is no descriptor");
            if (!bytes.is_number_unsigned()) throw std::runtime_error("the size of the shared memory is no size");
            shared_ = SharedMemory(fd.get<int>(), bytes.get<std::uint64_t>());
        }
        if (const auto wanted = content.find("conversions"); wanted != content.end()) {
            asked_.emplace();
            for (const json& this_json : *wanted) asked_->push_back(find_offer(this_json, plugin_.offers()));
        }
        start_ = plugin_.open(content.at("options").get<std::string>());
        opened_ = start_.status == MXCERT_OK;
    } catch (const std::exception& e) {
        start_ = {MXCERT_ERROR, std::string("START: ") + e.what()};
    }
}

template <class Serve> void Server::answer(const frames::Frame& frame, Serve serve) {
    ++counts_.requests;
    Answer answer;
    try {
        answer = serve(frame);
    } catch (const Refused& e) {
        const char* status = e.status == MXCERT_UNSUPPORTED ? "unsupported" : "error";
        return write_json(streams_.answers, Type::failed, frame.header.id, {{"status", status}, {"message", e.what()}});
    } catch (const std::exception& e) {
        return write_json(streams_.answers, Type::failed, frame.header.id,
                          {{"status", "error"}, {"message", e.what()}});
    }
    const auto head = encode(answer.result);
    frames::write_frame(streams_.answers, Type::result, frame.header.id, {head, answer.outputs});
}

Server::Answer Server::convert(const frames::Frame& frame) {
    auto request = frames::decode_convert(frame.payload);
    counts_.values += request.count;
    request.conversion = own_index(request.conversion);
    return serve(request, std::span(frame.payload).subspan(frames::convert_bytes));
}

std::uint32_t Server::own_index(std::uint32_t index) const {
    if (!asked_) return index;
    if (index >= asked_->size())
        refuse_request("conversion " + std::to_string(index) + " of " + std::to_string(asked_->size()) + " in START");
    const Asked& found = (*asked_)[index];
    if (!found.missing.empty()) throw Refused(MXCERT_UNSUPPORTED, "does not offer " + found.missing);
    return found.offer;
}

const Offer& Server::check(std::uint32_t conversion, std::uint64_t count) const {
    if (start_.status != MXCERT_OK) throw Refused(start_.status, start_.message);
    const auto& offers = plugin_.offers();
    if (conversion >= offers.size())
        refuse_request("conversion " + std::to_string(conversion) + " of " + std::to_string(offers.size()));
    const Offer& offer = offers[conversion];
    if (offer.from == nullptr) throw Refused(MXCERT_UNSUPPORTED, "this worker knows no format " + offer.source);
    if (offer.to == nullptr) throw Refused(MXCERT_UNSUPPORTED, "this worker knows no format " + offer.target);
    if (count == 0) refuse_request("no values are asked for");
    return offer;
}

Server::Places Server::place(const frames::ConvertRequest& request, const Offer& offer,
                             std::span<const std::byte> following) {
    const std::uint64_t count = request.count;
    const unsigned in = frames::bytes_of(*offer.from);
    const unsigned out = frames::bytes_of(*offer.to);
    const unsigned random = offer.random_bits == 0 ? 0 : sizeof(std::uint32_t);
    const auto shared = [&](std::uint64_t offset, unsigned width, const char* what) {
        std::byte* const at = shared_.at(offset, count, width);
        if (at == nullptr) {
            refuse_request(std::to_string(count) + " " + what + " of " + std::to_string(width) + " bytes at offset " +
                           (offset == frames::no_offset ? "none" : std::to_string(offset)) + " of " +
                           std::to_string(shared_.size()) + " bytes of shared memory: outside it or not aligned");
        }
        return at;
    };

    Places places;
    if (request.inputs == Inputs::inlined) {
        // Payloads are short, so the product of a count that passes the first test cannot overflow.
        if (count > following.size() || following.size() != count * (in + random)) {
            refuse_request(std::to_string(following.size()) + " bytes follow the request, " + std::to_string(count) +
                           " values of " + std::to_string(in + random) + " bytes were announced");
        }
        std::byte* const inputs = inputs_.reserve(count, in, 0);
        frames::copy_values(inputs, following.data(), count, in);
        places.input = inputs;
        if (random != 0) {
            std::byte* const randoms = randoms_.reserve(count, random, 0);
            frames::copy_values(randoms, following.data() + count * in, count, random);
            places.random = reinterpret_cast<const std::uint32_t*>(randoms);
        }
    } else if (request.inputs == Inputs::interleaved) {
        if (random != 0) refuse_request("streams have no random words");
        places.interleaved = frames::decode_interleaved(following);
        check_interleaved(request, *places.interleaved, offer);
    } else {
        if (!following.empty()) refuse_request(std::to_string(following.size()) + " bytes too many follow the request");
        if (request.inputs == Inputs::shared) places.input = shared(request.input_offset, in, "inputs");
        if (random != 0) {
            places.random = reinterpret_cast<const std::uint32_t*>(shared(request.random_offset, random, "randoms"));
        }
    }

    places.output_shared = request.output_offset != frames::no_offset;
    if (places.output_shared) {
        places.output = shared(request.output_offset, out, "outputs");
    } else {
        if (count > (frames::max_payload - frames::result_bytes) / out) {
            refuse_request("the outputs of " + std::to_string(count) + " values do not fit into a frame");
        }
        std::byte* const buffer = outputs_.reserve(count, out, 2 * guard_bytes);
        std::memset(buffer, static_cast<int>(request.poison & 0xFF),
                    static_cast<std::size_t>(count * out + 2 * guard_bytes));
        places.output = buffer + guard_bytes;
    }
    return places;
}

void Server::call_plugin(const frames::ConvertRequest& request, const Offer& offer, const Places& places) {
    const Format& from = *offer.from;
    const unsigned code = frames::bytes_of(from);
    // A plugin gets values, and what scales them apart from them: in each call one scale.
    const unsigned in = from.scale != nullptr ? frames::bytes_of(*from.value) : code;
    const unsigned out = frames::bytes_of(*offer.to);
    std::uint64_t batch = request.batch == 0 ? default_batch : request.batch;
    batch = std::min(std::max(batch, plugin_.least_batch()), request.count);
    if (plugin_.max_batch() != 0) batch = std::min(batch, plugin_.max_batch());
    const bool as_given = places.input != nullptr && from.scale == nullptr;
    std::byte* const bytes = as_given ? nullptr : values_.reserve(batch, in, (positions + interleaved_slack) * in);
    std::optional<frames::Interleaved> values = places.interleaved; // without their scale
    if (values)
        for (Code& first : values->firsts) first = from.value_of(first);

    mxcert_convert_args args{};
    args.struct_size = sizeof(args);
    args.conversion = offer.index;
    for (std::uint64_t done = 0; done < request.count; done += args.count) {
        args.count = std::min(batch, request.count - done);
        if (as_given) {
            args.input = places.input + done * in;
        } else {
            std::byte* const to = bytes + done % positions * in;
            args.input = to;
            if (values) {
                args.scale = static_cast<std::uint32_t>(from.scale_of(places.interleaved->firsts.front()));
                fill_interleaved(to, *values, request.first + done, args.count, in);
            } else if (places.input != nullptr) {
                args.count = take_values(from, places.input + done * code, args.count, to, args.scale);
            } else {
                const Code first = request.first + done;
                args.scale = static_cast<std::uint32_t>(from.scale_of(first));
                args.count = count_of_scale(from, first, args.count);
                fill_range(to, from.value_of(first), args.count, in);
            }
        }
        args.random = places.random == nullptr ? nullptr : places.random + done;
        args.output = places.output + done * out;
        if (offer.codes != nullptr)
            call_for_flags(args, offer);
        else
            call_convert(args);
    }
}

void Server::call_convert(const mxcert_convert_args& args) {
    const Outcome outcome = plugin_.convert(args);
    if (outcome.status != MXCERT_OK) throw Refused(outcome.status, outcome.message);
}

Server::Answer Server::make_range(const frames::Frame& frame) {
    frames::RangeRequest request = frames::decode_range(frame.payload);
    counts_.values += request.count;
    request.conversion = own_index(request.conversion);
    const Offer& offer = check(request.conversion, request.count);
    const Format& from = *offer.from;
    check_range(request.first, request.count, offer);
    if (!plugin_.has_ranges() || offer.random_bits != 0 || from.value_width() > 32 || offer.codes != nullptr)
        throw Refused(MXCERT_UNSUPPORTED, "makes no ranges of " + offer.source);
    if (request.most_steps > frames::most_range_steps)
        refuse_request("more than " + std::to_string(frames::most_range_steps) + " steps");
    std::vector<frames::RangeStep> all;
    const auto too_many = [&] {
        throw Refused(MXCERT_UNSUPPORTED, "more than " + std::to_string(request.most_steps) + " steps");
    };
    for (std::uint64_t done = 0; done < request.count;) {
        const std::uint64_t room = request.most_steps - all.size();
        if (room == 0) too_many();
        const Code first = request.first + done;
        std::uint64_t step_count = 0;
        mxcert_range_args args{};
        args.struct_size = sizeof(args);
        args.conversion = offer.index;
        args.scale = static_cast<std::uint32_t>(from.scale_of(first));
        args.first = from.value_of(first);
        args.count = count_of_scale(from, first, request.count - done);
        args.capacity = static_cast<std::uint32_t>(room);
        steps_.assign(room, {~std::uint64_t{0}, ~std::uint64_t{0}}); // no step: one that is not written shows
        args.steps = steps_.data();
        args.step_count = &step_count;
        const Outcome outcome = plugin_.convert_range(args);
        if (outcome.status != MXCERT_OK) throw Refused(outcome.status, outcome.message);
        if (step_count > room) too_many();
        check_steps(args, offer);
        for (std::uint64_t i = 0; i < step_count; ++i)
            all.push_back({first + (steps_[i].last - args.first), steps_[i].code});
        done += args.count;
    }
    gathered_ = frames::encode(all);
    return {{request.count, frames::digest(gathered_.data(), gathered_.size())}, gathered_};
}

Server::Answer Server::serve(const frames::ConvertRequest& request, std::span<const std::byte> following) {
    const Offer& offer = check(request.conversion, request.count);
    if (request.inputs == Inputs::range) check_range(request.first, request.count, offer);
    const Places places = place(request, offer, following);
    call_plugin(request, offer, places);
    Answer answer;
    answer.result.count = request.count;
    if (places.output_shared) return answer;

    const unsigned out = frames::bytes_of(*offer.to);
    const auto bytes = static_cast<std::size_t>(request.count * out);
    check_guards(places.output, bytes, request.poison);
    frames::copy_values(places.output, places.output, request.count, out);
    answer.outputs = {places.output, bytes};
    answer.result.digest = frames::digest(places.output, bytes);
    return answer;
}

void Server::end(const frames::Frame& frame) {
    static_cast<void>(frames::decode_end(frame.payload));
    // Before the answer: a backend that cannot close has not served to the end.
    if (opened_) plugin_.close();
    const auto counts = encode(counts_);
    frames::write_frame(streams_.answers, Type::end, 0, counts.data(), counts.size());
}

} // namespace mxcert::worker
