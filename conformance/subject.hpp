// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "conformance/observe.hpp"

namespace mxcert {

/// An implementation that can be asked: a running backend, or a record of one. Commands take either.
class Subject {
  public:
    Subject() = default;
    virtual ~Subject() = default;
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;

    [[nodiscard]] virtual const BackendInfo& info() const = 0;

    /// Every input of a source of up to 32 bits. As Backend::observe().
    [[nodiscard]] virtual Observation observe(const Conversion& conversion, const PermitTable* permitted) = 0;

    /// The given inputs, ascending. As Backend::observe_points().
    [[nodiscard]] virtual Observation observe_points(const Conversion& conversion, const std::vector<Point>& inputs,
                                                     const PermitTable* permitted) = 0;

    /// The inputs of a 64-bit source it can be asked: those wanted, or the ones a record holds.
    [[nodiscard]] virtual std::vector<Point> answerable(const Conversion& conversion,
                                                        std::vector<Point> wanted) const = 0;

    /// True if it holds what was seen before, and nothing runs.
    [[nodiscard]] virtual bool is_record() const = 0;
};

/// Starts a backend or reads a record. Throws std::runtime_error with a one-line reason: the worker cannot start, the
/// record is broken, or the backend is missing here.
[[nodiscard]] std::unique_ptr<Subject> open_subject(const BackendSpec& spec, const ObserveOptions& options);

/// True if a source is too wide to be asked every input.
[[nodiscard]] inline bool needs_points(const Conversion& conversion) { return conversion.from->width() > 32; }

} // namespace mxcert
