// SPDX-License-Identifier: Apache-2.0
#include "vectors/export/provenance.hpp"

#include <fmt/format.h>

#include "vectors/base/sha256.hpp"
#include "vectors/golden_store/manifest.hpp"

namespace mxcert {
namespace {

using Json = nlohmann::ordered_json;

Json fields_json(const std::vector<VectorField>& fields) {
    Json all = Json::array();
    for (const VectorField& field : fields)
        all.push_back({{"name", field.name}, {"format", field.format->name}, {"bits", field.format->width()}});
    return all;
}

} // namespace

Json header_json(std::string_view schema, const Provenance& provenance) {
    Json json{{"schema", schema},
              {"tool", {{"name", "mxcert"}, {"version", provenance.tool}}},
              {"vectors", vectors_version},
              {"date", vectors_date},
              {"license", vectors_license}};
    if (!provenance.homepage.empty()) json["homepage"] = provenance.homepage;
    return json;
}

Json subject_json(const TestVectors& vectors) {
    Json attributes = Json::object();
    for (const auto& [name, value] : vectors.attributes) attributes[name] = value;
    Json choices = Json::array();
    for (const NamedChoice& choice : vectors.choices)
        choices.push_back({{"name", choice.name}, {"values", choice.values}, {"default", choice.default_value}});
    Json json{{"name", vectors.name},
              {"kind", vectors.kind},
              {"attributes", attributes},
              {"profile", {{"name", vectors.profile}, {"source", vectors.source}}},
              {"origin", vectors.origin},
              {"choices", choices},
              {"sizes", vectors.sizes},
              {"inputs", fields_json(vectors.inputs)},
              {"outputs", fields_json(vectors.outputs)}};
    if (!vectors.left_out.empty()) json["left_out"] = vectors.left_out;
    return json;
}

std::string note_of(const TestVectors& vectors) {
    return fmt::format("{}, profile {}, {}, vectors {}, license {}", vectors.name, vectors.profile, vectors.origin,
                       vectors_version, vectors_license);
}

ExportedFile manifest_of(const TestVectors& vectors, const Provenance& provenance,
                         const std::vector<ExportedFile>& files) {
    Json json = header_json("mxcert-export-1", provenance);
    json["subject"] = subject_json(vectors);
    json["files"] = Json::array();
    for (const ExportedFile& file : files)
        json["files"].push_back({{"file", file.name}, {"bytes", file.text.size()}, {"sha256", sha256(file.text)}});
    return {"manifest.json", json.dump(2) + "\n"};
}

} // namespace mxcert
