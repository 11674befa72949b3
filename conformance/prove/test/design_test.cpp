// SPDX-License-Identifier: Apache-2.0
#include "catch.hpp"
#include "conformance/prove/design.hpp"

using namespace mxcert;
using namespace mxcert::prove;
