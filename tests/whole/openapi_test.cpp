// docs/openapi.yaml against the server: every route is described and nothing else, parameters are those that
// the code reads, and the answers of a managed fabric have the shape that is described.

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <boost/json/serialize.hpp>

#include "daemon/api_document.h"
#include "tests/whole/asked_api.h"

namespace weft::test {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

class OpenApi : public testing::Test {
 protected:
  OpenApi() {
    whole.start({}, config::read_text("routing: { port_sets: compact }\n", "f").value().settings);
    EXPECT_TRUE(whole.settle()) << whole.faults();
  }
  static std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  }
  /// What the fabric and the daemon must have for a path to have an answer.
  std::string query_of(const std::string& path) const {
    static const std::map<std::string, std::string> kQueries{{"/v1/partitions", "?members=1"},
                                                             {"/v1/tables", "?switch=SWITCH"},
                                                             {"/v1/path", "?from=HOST1&to=HOST2"},
                                                             {"/v1/sa/path", "?from=HOST1&to=HOST2"},
                                                             {"/v1/sa/join", "?port=HOST1"},
                                                             {"/v1/counters", "?port=HOST1"},
                                                             {"/v1/explain/port", "?port=HOST1"},
                                                             {"/v1/explain/lid", "?lid=1"},
                                                             {"/v1/explain/path", "?from=HOST1&to=HOST2"},
                                                             {"/v1/explain/partition", "?a=HOST1&b=HOST2"},
                                                             {"/v1/explain/pkey", "?port=HOST1&key=0x7fff"},
                                                             {"/v1/explain/qos", "?from=HOST1&to=HOST2"},
                                                             {"/v1/dump/opensm", "?file=subnet"}};
    const auto found = kQueries.find(path);
    std::string query = found == kQueries.end() ? "" : found->second;
    query = std::regex_replace(query, std::regex("HOST1"), "h00000");
    query = std::regex_replace(query, std::regex("HOST2"), "h00005");
    return std::regex_replace(query, std::regex("SWITCH"), whole_switch());
  }
  std::string whole_switch() const {
    const fabric::Fabric& fabric = *whole.manager->view()->fabric;
    return to_string(fabric.node(SwitchId{0}).guid);
  }

  Whole whole{"xgft:m=3,4:w=1,2"};
  AskedApi api{whole};
  YAML::Node document = YAML::Load(std::string(daemon::openapi_document()));
};

bool is_of_type(const json::value& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_bool();
  if (type == "integer") return value.is_int64() || value.is_uint64();
  return value.is_number();
}

/// What is wrong with a value by its schema; empty: nothing.
std::string fault_of(const YAML::Node& schema, const json::value& value, const std::string& where) {
  if (value.is_null())
    return !schema["type"] || (schema["nullable"] && schema["nullable"].as<bool>()) ? "" : where + " is null";
  if (!schema["type"]) return "";
  const auto type = schema["type"].as<std::string>();
  if (!is_of_type(value, type)) return where + " is no " + type + ": " + json::serialize(value);
  if (type == "array") {
    for (const json::value& one : value.get_array())
      if (std::string fault = fault_of(schema["items"], one, where + "[]"); !fault.empty()) return fault;
  }
  if (type != "object" || !schema["properties"]) return "";
  for (const auto& [key, member] : value.get_object())
    if (!schema["properties"][std::string(key)]) return where + "." + std::string(key) + " is not described";
  for (const auto& property : schema["properties"]) {
    const auto key = property.first.as<std::string>();
    if (!value.get_object().contains(key)) return where + "." + key + " is described, and is not there";
    std::string fault = fault_of(property.second, value.get_object().at(key), where + "." + key);
    if (!fault.empty()) return fault;
  }
  return "";
}

TEST_F(OpenApi, DescribesEveryRouteAndNothingElse) {
  std::set<std::string> routes;
  for (const daemon::Route& route : api.router().routes())
    routes.insert(lower(route.method) + " " + route.path);
  std::set<std::string> described;
  for (const auto& path : document["paths"])
    for (const auto& operation : path.second)
      described.insert(operation.first.as<std::string>() + " " + path.first.as<std::string>());
  EXPECT_EQ(routes, described);
}

TEST_F(OpenApi, NamesTheParametersThatTheCodeReads) {
  std::set<std::string> described;
  for (const auto& path : document["paths"])
    for (const auto& operation : path.second)
      for (const auto& parameter : operation.second["parameters"])
        described.insert(parameter["name"].as<std::string>());
  std::set<std::string> read;
  const std::regex call(
      R"re((?:parameter|end_named|optional_number)\((?:view, )?(?:request, )?"([a-z_]+)")re");
  for (const auto& entry : fs::directory_iterator(fs::path(WEFT_SOURCE_DIR) / "daemon")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string code = text.str();
    for (std::sregex_iterator at(code.begin(), code.end(), call), end; at != end; ++at) read.insert((*at)[1]);
  }
  EXPECT_EQ(read, described);
}

TEST_F(OpenApi, DescribesTheAnswersOfAManagedFabric) {
  for (const auto& path : document["paths"]) {
    const auto name = path.first.as<std::string>();
    const YAML::Node& get = path.second["get"];
    if (!get || name == "/v1/events/stream") continue;
    const daemon::Response answer = api.ask(whole, "GET", name + query_of(name));
    ASSERT_EQ(answer.status, 200) << name << ": " << answer.body;
    const YAML::Node content = get["responses"]["200"]["content"];
    const std::string type = answer.type.substr(0, answer.type.find(';'));
    ASSERT_TRUE(content[type]) << name << " answers with " << type;
    if (type != "application/json") continue;
    EXPECT_EQ(fault_of(content[type]["schema"], json::parse(answer.body), name), "");
  }
}

TEST_F(OpenApi, DescribesTheAnswersToChanges) {
  const std::string port = "h00000";
  for (const auto& [target, body] : {std::pair<std::string, std::string>("/v1/sweep", ""),
                                     {"/v1/accept", ""},
                                     {"/v1/config/diff", "lids: { fixed: { 0x0000000000000001: 700 } }\n"
                                                         "routing: { engine: up-down }\n"
                                                         "qos: { levels: { a: {}, b: {} } }\n"},
                                     {"/v1/upkeep?do=drain&place=" + whole_switch() + "&force=1", ""},
                                     {"/v1/state", api.ask(whole, "GET", "/v1/state").body}}) {
    const daemon::Response answer = api.ask(whole, "POST", target, body);
    const std::string name = target.substr(0, target.find('?'));
    const YAML::Node content = document["paths"][name]["post"]["responses"][std::to_string(answer.status)];
    ASSERT_TRUE(content) << name << " answers " << answer.status << ": " << answer.body;
    EXPECT_EQ(fault_of(content["content"]["application/json"]["schema"], json::parse(answer.body), name), "");
  }
}

TEST_F(OpenApi, DescribesErrors) {
  const YAML::Node schema = document["components"]["schemas"]["Error"];
  const daemon::Response refused = api.ask(whole, "GET", "/v1/path?from=nobody&to=h00000");
  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(fault_of(schema, json::parse(refused.body), "error"), "");
}

}  // namespace
}  // namespace weft::test
