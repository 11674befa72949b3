// SPDX-License-Identifier: Apache-2.0
// Shell commands on parts of a run, of certify or record.
#pragma once

#include <string>

#include "conformance/test/program.hpp"

namespace mxcert::test {

/// Makes the first unit of a part one that another kind of machine asked. `edit`: further lines of Python that change
/// `unit`, each with its end.
inline void make_other_machine(const fs::path& folder, const std::string& part, const std::string& edit = "") {
    shell(folder, "python3 - <<'END'\n"
                  "import hashlib, json, os\n"
                  "name = '" +
                      part + "/units/' + os.listdir('" + part +
                      "/units')[0]\n"
                      "unit = json.load(open(name))\n"
                      "unit['host']['cpu'] = 'another'\n" +
                      edit +
                      "del unit['sha256']\n"
                      "unit['sha256'] = hashlib.sha256(json.dumps(unit, separators=(',', ':')).encode()).hexdigest()\n"
                      "json.dump(unit, open(name, 'w'))\n"
                      "END");
}

/// Runs a command that asks the folder `part`, kills it when a unit is there, and runs it again.
inline Result killed_and_again(const fs::path& folder, const std::string& command) {
    return shell(folder, command + " & pid=$!\n" +
                             "until [ -n \"$(ls part/units 2> /dev/null)\" ] || ! kill -0 $pid 2> /dev/null; do "
                             "sleep 0.02; done\nkill -9 $pid; wait $pid\n" +
                             command);
}

} // namespace mxcert::test
