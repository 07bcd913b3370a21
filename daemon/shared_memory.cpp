#include "daemon/shared_memory.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include <boost/json.hpp>

namespace weft::daemon {

namespace json = boost::json;

namespace {

std::filesystem::path memory_file(const std::filesystem::path& directory) {
  return directory / "shared.json";
}

tl::unexpected<Error> cannot_write(const std::filesystem::path& file) {
  return fail(Errc::system, "cannot write {}: {}", file.string(), std::strerror(errno));
}

}  // namespace

Result<SharedMemory> load_shared_memory(const std::filesystem::path& directory) {
  const std::filesystem::path file = memory_file(directory);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    std::random_device random;
    SharedMemory fresh;
    fresh.id = fmt::format("{:08x}{:08x}", random(), random());
    return fresh;
  }
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  boost::system::error_code error;
  const json::value value = json::parse(text.str(), error);
  if (const json::object* object = error ? nullptr : value.if_object()) {
    const json::value* id = object->if_contains("id");
    const json::value* cluster = object->if_contains("cluster");
    const json::value* seq = object->if_contains("seq");
    const json::value* ahead = object->if_contains("ahead");
    if (id != nullptr && id->is_string() && !id->get_string().empty() && cluster != nullptr &&
        cluster->is_string() && seq != nullptr && seq->is_int64() && ahead != nullptr && ahead->is_bool())
      return SharedMemory{std::string(id->get_string()),
                          std::strtoull(cluster->get_string().c_str(), nullptr, 10), seq->get_int64(),
                          ahead->get_bool()};
  }
  return fail(Errc::malformed, "{} is damaged: remove it, and this manager begins as a new one",
              file.string());
}

Result<void> save_shared_memory(const std::filesystem::path& directory, const SharedMemory& memory) {
  const std::string text = json::serialize(json::object{{"id", memory.id},
                                                        {"cluster", std::to_string(memory.cluster)},
                                                        {"seq", memory.seq},
                                                        {"ahead", memory.ahead}}) +
                           "\n";
  const std::filesystem::path file = memory_file(directory);
  const std::filesystem::path fresh = file.string() + ".new";
  const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return cannot_write(fresh);
  const bool written =
      write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(fd) == 0;
  if (!written) {
    auto why = cannot_write(fresh);
    close(fd);
    return why;
  }
  close(fd);
  if (rename(fresh.c_str(), file.c_str()) != 0) return cannot_write(file);
  const int folder = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    (void)fsync(folder);
    close(folder);
  }
  return {};
}

}  // namespace weft::daemon
