#include "config/subnet_types.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "config/once.h"

namespace weft::config {
namespace {

constexpr std::size_t kLongestName = 32;

bool is_subnet_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestName && name.front() != '-' &&
         std::ranges::all_of(name, fits);
}

/// In one line, as YAML.
std::string flow(const Value& value) {
  if (value.kind == Value::Kind::null) return "~";
  if (value.kind == Value::Kind::text) return yaml_text(value.text);
  const bool is_map = value.kind == Value::Kind::map;
  std::string text = is_map ? "{" : "[";
  for (std::size_t i = 0; i < value.children.size(); ++i) {
    text += is_map && i % 2 == 1 ? ": " : i > 0 ? ", " : " ";
    text += flow(value.children[i]);
  }
  return text + (value.children.empty() ? "" : " ") + (is_map ? "}" : "]");
}

std::optional<PortChoice> port_from(std::string_view text) {
  PortChoice port;
  if (text.starts_with("0x") || std::ranges::count(text, ':') > 0) {
    port.guid = guid_from(text);
    return port.guid ? std::optional(port) : std::nullopt;
  }
  const std::size_t slash = text.find('/');
  const std::string_view number = slash == text.npos ? text : text.substr(slash + 1);
  if (const auto found = number_from(number)) {
    if (*found < 1 || *found > 254) return std::nullopt;
    port.number = static_cast<int>(*found);
    if (slash != text.npos) port.device = std::string(text.substr(0, slash));
  } else if (slash == text.npos) {
    port.device = std::string(text);
  }
  const bool named = !port.device.empty() || (slash == text.npos && port.number);
  return named && port.device.size() <= 64 ? std::optional(port) : std::nullopt;
}

}  // namespace

std::string to_string(const PortChoice& port) {
  if (port.guid) return weft::to_string(*port.guid);
  if (!port.number) return port.device;
  return port.device.empty() ? fmt::format("{}", *port.number)
                             : fmt::format("{}/{}", port.device, *port.number);
}

Type<std::map<std::string, std::string>> subnet_map() {
  Type<std::map<std::string, std::string>> type;
  type.form = "a map of names to maps of keys";
  type.json = json_form::map_of("{\"type\":[\"object\",\"null\"]}");
  type.read = [](const Value& value, Report& report) -> std::optional<std::map<std::string, std::string>> {
    std::map<std::string, std::string> subnets;
    if (value.kind == Value::Kind::null) return subnets;
    const Value* const map = &value;
    if (value.kind != Value::Kind::map) {
      report.problem(map->place,
                     fmt::format("expects a map of names to maps of keys, not {}", describe(*map)));
      return std::nullopt;
    }
    if (map->children.size() / 2 > kMostSubnets) {
      report.problem(map->place, fmt::format("there can be {} subnets at most", kMostSubnets));
      return std::nullopt;
    }
    Once once;
    bool good = true;
    for (std::size_t i = 0; i + 1 < map->children.size(); i += 2) {
      const Value& name = map->children[i];
      const Value& keys = map->children[i + 1];
      const std::size_t problems = report.problem_count;
      if (name.kind != Value::Kind::text || !is_subnet_name(name.text))
        report.problem(name.place,
                       fmt::format("a subnet's name has letters, digits, - and _, at most {}; {} is none",
                                   kLongestName, describe(name)));
      else if (keys.kind != Value::Kind::map && keys.kind != Value::Kind::null)
        report.problem(keys.place,
                       fmt::format("{} expects a map of keys, not {}", name.text, describe(keys)));
      else if (once.take(name.text, name.place, report, in_quotes(name.text)))
        subnets.emplace(name.text, keys.kind == Value::Kind::null ? "{}" : flow(keys));
      good = good && report.problem_count == problems;
    }
    return good ? std::optional(std::move(subnets)) : std::nullopt;
  };
  type.show = [](const std::map<std::string, std::string>& subnets) {
    std::string text = "{";
    for (const auto& [name, keys] : subnets)
      text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : " ", name, keys);
    return text + (subnets.empty() ? "}" : " }");
  };
  return type;
}

Type<std::vector<PortChoice>> port_list() {
  Type<std::vector<PortChoice>> type;
  const Type<std::vector<std::string>> list = texts("ports such as mlx5_1/1, or GUIDs", {}, 0);
  type.form = list.form;
  type.json = json_form::list_of(std::string(json_form::kText));
  type.read = [read = list.read](const Value& value,
                                 Report& report) -> std::optional<std::vector<PortChoice>> {
    const auto texts = read(value, report);
    if (!texts) return std::nullopt;
    std::vector<PortChoice> ports;
    for (const std::string& text : *texts) {
      const auto port = port_from(text);
      if (!port) {
        report.problem(
            value.place,
            fmt::format("{} names no local port: write mlx5_1/1, mlx5_1, a port's number or its GUID",
                        in_quotes(text)));
        return std::nullopt;
      }
      ports.push_back(*port);
    }
    return ports;
  };
  type.show = [show = list.show](const std::vector<PortChoice>& ports) {
    std::vector<std::string> texts;
    for (const PortChoice& port : ports) texts.push_back(to_string(port));
    return show(texts);
  };
  return type;
}

std::string socket_of_subnet(const std::string& socket, std::string_view subnet) {
  const std::size_t slash = socket.rfind('/');
  const std::size_t dot = socket.rfind('.');
  const bool has_end = dot != socket.npos && (slash == socket.npos || dot > slash + 1);
  const std::string start = has_end ? socket.substr(0, dot) : socket;
  return fmt::format("{}-{}{}", start, subnet, has_end ? socket.substr(dot) : std::string());
}

}  // namespace weft::config
