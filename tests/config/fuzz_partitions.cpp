// OpenSM's partition file: any text is read or refused; what is read is shown as YAML that reads the same.

#include <cstdlib>

#include "config/opensm_partitions.h"
#include "config/parse.h"
#include "config/partition_types.h"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace weft::config;
  Report report{.source = "f"};
  PartitionList list;
  for (ReadPartition& one : merged(read_opensm_partitions({data, size}, report)))
    list.add(std::move(one.partition), one.place, report);
  if (report.problem_count != 0) return 0;
  const auto all = std::move(list).take();
  static const auto type = partition_map();
  const Parsed parsed = parse_yaml(type.show(all));
  if (!parsed.problems.empty()) std::abort();
  Report again;
  const auto read = type.read(parsed.root, again);
  // Lines that repeat a member are an error there.
  if (read && *read != all) std::abort();
  return 0;
}
