#include "ctl/opensm_setup.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "config/file.h"
#include "config/opensm_import.h"
#include "config/opensm_sa_dump.h"
#include "config/opensm_table.h"
#include "ctl/json_read.h"
#include "plan/registrations.h"
#include "plan/registrations_json.h"

namespace weft::ctl {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;
using config::Fate;
using config::ImportedLine;
using config::OpensmFile;
using config::OpensmImport;

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// The first of these that is there; empty: none.
std::string first_of(std::initializer_list<std::string> paths) {
  for (const std::string& path : paths)
    if (!path.empty() && is_file(path)) return path;
  return {};
}

std::string inside(const std::string& folder, std::string_view name) {
  return name.empty() ? std::string() : (fs::path(folder) / fs::path(name).filename()).string();
}

std::string path_of(const config::OpensmPlace& place, std::string_view options, const OpensmSetup& setup) {
  const std::string named =
      place.option.empty() ? std::string() : config::opensm_value(options, place.option);
  if (!place.cached) {
    const std::string beside = inside(setup.dir, named.empty() ? place.usual : std::string_view(named));
    return first_of({beside, named});
  }
  std::string dumps = config::opensm_value(options, "dump_files_dir");
  if (dumps.empty()) dumps = setup.dumps;
  if (dumps.empty()) dumps = config::find_opensm_option("dump_files_dir")->built_in;
  return first_of({inside(setup.dir, named), named, inside(setup.cache, place.usual),
                   inside(dumps, place.usual), inside(setup.dir, place.usual)});
}

Result<std::vector<OpensmFile>> files_of(const OpensmSetup& setup) {
  std::vector<OpensmFile> files;
  const auto add = [&files](config::OpensmRole role, const std::string& path) -> Result<void> {
    if (path.empty()) return {};
    Result<std::string> text = config::slurp(path);
    if (!text) return fail(text.error());
    files.push_back({role, path, std::move(*text)});
    return {};
  };
  const std::string options_path = inside(setup.dir, "opensm.conf");
  if (is_file(options_path)) {
    auto added = add(config::OpensmRole::options, options_path);
    if (!added) return fail(added.error());
  }
  const std::string options = files.empty() ? std::string() : files.front().text;
  for (const config::OpensmPlace& place : config::opensm_places()) {
    auto added = add(place.role, path_of(place, options, setup));
    if (!added) return fail(added.error());
  }
  if (files.empty())
    return fail(Errc::not_found, "there is no file of OpenSM's in {} and {}", setup.dir, setup.cache);
  return files;
}

/// The file gets this text and is its owner's alone: keys may stand in it. What was there stays as PATH.old.
Result<void> save_private(const fs::path& path, const std::string& text) {
  std::error_code error;
  if (fs::exists(path, error)) fs::rename(path, path.string() + ".old", error);
  if (error) return fail(Errc::system, "cannot put {} aside: {}", path.string(), error.message());
  {
    std::ofstream create(path);
  }
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write, error);
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (error || !file.good()) return fail(Errc::system, "cannot write {}", path.string());
  return {};
}

Result<void> save_all(const OpensmImport& import, const std::string& out) {
  std::error_code error;
  fs::create_directories(out, error);
  if (error) return fail(Errc::system, "cannot make the directory {}: {}", out, error.message());
  const std::pair<std::string_view, std::string> kFiles[] = {
      {"weft.yaml", import.yaml},
      {"ledger.json", state_json(import.lids, import.registrations)},
      {"node-name-map", import.names},
      {"m_keys", import.m_keys}};
  for (const auto& [name, text] : kFiles) {
    if (text.empty()) continue;
    auto saved = save_private(fs::path(out) / name, text);
    if (!saved) return saved;
  }
  return {};
}

std::array<std::size_t, 3> counts_of(const OpensmImport& import) {
  std::array<std::size_t, 3> counts{};
  for (const ImportedLine& line : import.lines) ++counts[static_cast<std::size_t>(line.fate)];
  return counts;
}

std::string json_text(const OpensmImport& import, const std::string& out) {
  json::array lines;
  for (const ImportedLine& line : import.lines)
    lines.push_back(json::object{{"file", line.file},
                                 {"line", line.line},
                                 {"text", line.text},
                                 {"fate", config::name(line.fate)},
                                 {"became", line.became}});
  const auto [mapped, defaults, dropped] = counts_of(import);
  json::object all{{"lines", std::move(lines)},
                   {"mapped", mapped},
                   {"default", defaults},
                   {"dropped", dropped},
                   {"lids", import.lids.size()},
                   {"yaml", import.yaml},
                   {"registrations", plan::to_string(plan::counts_of(import.registrations))}};
  if (!out.empty()) all["out"] = out;
  return json::serialize(all) + "\n";
}

Colour colour_of(Fate fate) {
  if (fate == Fate::mapped) return Colour::green;
  return fate == Fate::dropped ? Colour::yellow : Colour::dim;
}

/// A row a line; lines of one file that became the same are one row, since lists are long.
std::string table_text(const OpensmImport& import, const Style& style) {
  constexpr std::size_t kAlike = 3;
  Table table({{"LINE", Align::right}, {"OPENSM", Align::left, true}, {"FATE"}, {"HERE", Align::left}});
  std::string all;
  std::string file;
  const auto finish = [&] {
    if (table.size() > 0) all += fmt::format("{}\n{}\n", file, table.text(style, 2));
    table = Table({{"LINE", Align::right}, {"OPENSM", Align::left, true}, {"FATE"}, {"HERE", Align::left}});
  };
  for (std::size_t i = 0; i < import.lines.size();) {
    const ImportedLine& line = import.lines[i];
    if (line.file != file) finish();
    file = line.file;
    std::size_t end = i + 1;
    const bool lid = line.became.starts_with("LID ");
    while (end < import.lines.size() && import.lines[end].file == file &&
           import.lines[end].fate == line.fate &&
           (import.lines[end].became == line.became || (lid && import.lines[end].became.starts_with("LID "))))
      ++end;
    const bool many = end - i > kAlike;
    table.add({fmt::format("{}", line.line),
               many ? fmt::format("{} ... {} lines", line.text, end - i) : line.text,
               {std::string(config::name(line.fate)), colour_of(line.fate)},
               many && lid ? "their LIDs" : line.became});
    i = many ? end : i + 1;
  }
  finish();
  return all;
}

std::string summary(const OpensmImport& import, const OpensmSetup& setup) {
  const auto [mapped, defaults, dropped] = counts_of(import);
  std::string text = fmt::format("{}: {} mapped, {} as by default, {} dropped; {} of ports kept, {}\n",
                                 counted(import.lines.size(), "line"), mapped, defaults, dropped,
                                 counted(import.lids.size(), "LID range"),
                                 plan::to_string(plan::counts_of(import.registrations)));
  if (setup.out.empty()) return text + "nothing is written without --out\n";
  return text + fmt::format("written to {}; look at weft.yaml, then docs/migrating.md says how to go on\n",
                            setup.out);
}

}  // namespace

std::string state_json(const plan::LidMap& lids, const plan::SaState& registrations) {
  const bool told = plan::counts_of(registrations) != plan::RegistrationCounts{};
  if (lids.empty() && !told) return {};
  std::string text = "{\"format\":\"weft-state\",\"version\":1,\n\"lids\":[";
  for (const auto& [port, range] : lids)
    text += fmt::format("{}\n{{\"port\":\"{}\",\"lid\":{},\"lmc\":{}}}", text.ends_with('[') ? "" : ",",
                        to_string(port), raw(range.base), range.lmc);
  text += "],\n\"devices\":[]";
  if (told) text += ",\n\"registrations\":" + plan::registrations_json(registrations, true);
  return text + "}\n";
}

Result<std::string> guid2lid_of(const std::string& state) {
  json::error_code error;
  const json::value root = json::parse(state, error);
  if (error || text(root, "format") != "weft-state")
    return fail(Errc::malformed, "no state as `weftctl state export` writes it");
  std::string all;
  for (const json::value& one : items(root, "lids")) {
    const std::uint64_t first = number(one, "lid");
    const std::uint64_t last = first + (std::uint64_t{1} << number(one, "lmc")) - 1;
    all += fmt::format("{} 0x{:04x} 0x{:04x}\n\n", text(one, "port"), first, last);
  }
  return all;
}

Result<std::string> sa_dump_of(const std::string& state, std::int64_t now) {
  json::error_code error;
  const json::value root = json::parse(state, error);
  if (error || text(root, "format") != "weft-state")
    return fail(Errc::malformed, "no state as `weftctl state export` writes it");
  const auto registrations = plan::registrations_from(at(root, "registrations"), "registrations");
  if (!registrations) return fail(registrations.error());
  return config::opensm_sa_dump(*registrations, now);
}

Exit import_opensm_setup(const Output& output, const OpensmSetup& setup) {
  const auto files = files_of(setup);
  if (!files) {
    output.err << "weftctl: " << files.error().what << std::endl;
    return Exit::usage;
  }
  config::Report report;
  const OpensmImport import = config::import_opensm(*files, report);
  if (report.problem_count > 0) {
    output.err << fmt::format("{}\nnothing is written: what OpenSM overlooks here must be mended first\n",
                              fmt::join(report.problems, "\n"))
               << std::flush;
    return Exit::usage;
  }
  if (!setup.out.empty()) {
    if (const auto saved = save_all(import, setup.out); !saved) {
      output.err << "weftctl: " << saved.error().what << std::endl;
      return Exit::failed;
    }
  }
  output.out << (output.json ? json_text(import, setup.out)
                             : table_text(import, output.style) + summary(import, setup))
             << std::flush;
  return Exit::done;
}

}  // namespace weft::ctl
