// OpenSM's QoS policy file: any text is read or refused; what is read is shown as YAML that reads the same.

#include <cstdlib>

#include "config/opensm_qos.h"
#include "config/parse.h"
#include "config/qos_types.h"

namespace {

/// What a value's text reads as again; ends the run when it does not.
template <typename T>
T read_back(const weft::config::Type<T>& type, const T& value) {
  using namespace weft::config;
  const Parsed parsed = parse_yaml(type.show(value));
  if (!parsed.problems.empty()) std::abort();
  Report report;
  auto read = type.read(parsed.root, report);
  return read ? std::move(*read) : value;  // names that YAML does not take are an error there
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace weft::config;
  Report report{.source = "f"};
  const weft::qos::Policy policy = read_opensm_qos({data, size}, report);
  if (report.problem_count != 0) return 0;
  static const auto levels = level_map();
  static const auto rules = rule_list();
  if (read_back(levels, policy.levels) != policy.levels || read_back(rules, policy.rules) != policy.rules)
    std::abort();
  return 0;
}
