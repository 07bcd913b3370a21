#pragma once
// Reading: one reading of the configuration under way.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/read.h"
#include "config/report.h"
#include "config/schema.h"

namespace weft::config {

struct Reading {
  Loaded loaded;
  Report report;
  Origin origin;                 ///< Of what is read now, but for the place.
  std::string config_file;       ///< As it is called in remarks.
  Value root;                    ///< The file, once it is YAML and a map.
  std::optional<Value> entries;  ///< What stands under `subnets`.

  /// What comes next stands in the file.
  void begin_file() {
    origin = {Origin::Kind::file, config_file, {}};
    report.source = config_file;
  }
  bool has_subnets() const { return entries && !entries->children.empty(); }
  void read_value(const Key& key, const Value& value, Place place);
  void read_section(const Value& map, const std::string& section);
  void read_entry(const Value& name, const Value& value, const std::string& section);
  void read_yaml(std::string_view yaml);
  void read_override(const Override& option);
  void read_overrides(std::span<const Override> options);
  /// Partitions, levels, names and keys that stand in files of their own.
  void read_files(const std::string& config_path);
  void read_names_file(const std::string& config_path);
  void read_expected_file(const std::string& config_path);
  void read_m_keys_file(const std::string& config_path);
  void read_sm_key_file(const std::string& config_path, std::string_view key, const std::string& file,
                        std::uint64_t& target);
  void check_control_files();
  void read_partition_files(const std::string& config_path);
  void read_qos_file(const std::string& config_path);
  void check_whole();
  void check_tcp();
  void check_mentions();
  void check_tables();
  /// Each subnet with all its settings, when the file has several and nothing is wrong so far. `path`: of the
  /// file; empty: files beside it are not read. subnets.cpp
  void read_subnets(const std::string& path, std::span<const Override> command_line);
  /// A problem with a key's value, told where it stands.
  void problem_with(std::string_view key, std::string text);
  Result<Loaded> result() &&;
};

}  // namespace weft::config
