#include "ctl/plan_dump.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "plan/dump_opensm.h"
#include "routing/port_sets_json.h"

namespace weft::ctl {
namespace {

/// `next` appends the next piece, and answers false when there is none.
Result<void> write_pieces(const std::string& path, const std::function<bool(std::string&)>& next) {
  std::ofstream file(path, std::ios::binary);
  std::string piece;
  while (file && next(piece)) {
    file << piece;
    piece.clear();
  }
  file.flush();
  if (!file) return fail(Errc::system, "cannot write {}: {}", path, std::strerror(errno));
  return {};
}

}  // namespace

Result<std::vector<std::string>> write_dump(const plan::View& view, const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return fail(Errc::system, "cannot make the directory {}: {}", directory, error.message());
  std::vector<std::string> paths;
  const auto path_of = [&](std::string_view name) {
    return paths.emplace_back((std::filesystem::path(directory) / name).string());
  };
  for (const plan::DumpFile file : {plan::DumpFile::subnet, plan::DumpFile::fdbs, plan::DumpFile::mcfdbs,
                                    plan::DumpFile::psl, plan::DumpFile::slvl}) {
    std::size_t step = 0;
    const std::size_t steps = dump_steps(view, file);
    const Result<void> written = write_pieces(path_of(file_name(file)), [&](std::string& out) {
      if (step == steps) return false;
      dump_step(view, file, step++, out);
      return true;
    });
    if (!written) return fail(written.error());
  }
  if (!view.plan->port_sets) return paths;
  const routing::Problem problem = plan::problem_of(view);
  routing::PortSetsWriter writer(problem, view.plan->routes(), *view.plan->port_sets);
  const Result<void> written =
      write_pieces(path_of("port-sets.json"), [&writer](std::string& out) { return writer.next(out); });
  if (!written) return fail(written.error());
  return paths;
}

}  // namespace weft::ctl
