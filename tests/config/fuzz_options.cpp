// OpenSM's options file: any text is read or refused; tables that are read are shown as YAML that reads the
// same.

#include <cstdlib>

#include "config/opensm_options.h"
#include "config/parse.h"
#include "config/qos_tables.h"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace weft::config;
  Report report{.source = "f"};
  const OpensmOptions options = read_opensm_options({data, size}, report);
  if (report.problem_count != 0) return 0;
  static const auto type = typed_tables();
  const Parsed parsed = parse_yaml(type.show(options.tables));
  if (!parsed.problems.empty()) std::abort();
  Report again;
  const auto read = type.read(parsed.root, again);
  if (!read || *read != options.tables) std::abort();
  return 0;
}
