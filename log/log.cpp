#include "log/log.h"

#include <cstdlib>
#include <mutex>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/dist_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace weft::log {
namespace {

/// "%*" in a pattern: the syslog priority that journald reads at the start of a line.
class JournalPriority final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    char priority = '7';
    if (message.level == spdlog::level::info) priority = '6';
    if (message.level == spdlog::level::warn) priority = '4';
    if (message.level == spdlog::level::err) priority = '3';
    if (message.level == spdlog::level::critical) priority = '2';
    out.push_back('<');
    out.push_back(priority);
    out.push_back('>');
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<JournalPriority>();
  }
};

thread_local std::string subnet_of_thread;

/// "%?" in a pattern: "[rail1] " where the thread is a subnet's.
class SubnetName final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg&, const std::tm&, spdlog::memory_buf_t& out) override {
    if (subnet_of_thread.empty()) return;
    out.push_back('[');
    out.append(subnet_of_thread.data(), subnet_of_thread.data() + subnet_of_thread.size());
    out.push_back(']');
    out.push_back(' ');
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<SubnetName>(); }
};

std::unique_ptr<spdlog::formatter> formatted(std::string pattern) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<JournalPriority>('*').add_flag<SubnetName>('?').set_pattern(std::move(pattern));
  return formatter;
}

spdlog::sink_ptr console_sink() {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  const bool journal = std::getenv("JOURNAL_STREAM") != nullptr;
  sink->set_formatter(formatted(journal ? "%*%?%n: %v" : "%H:%M:%S.%e %^%-7l%$ %?%n: %v"));
  return sink;
}

/// The one sink of all loggers, so that what is behind it can change while threads log.
std::shared_ptr<spdlog::sinks::dist_sink_mt> sink_of_all() {
  static const auto sink = std::make_shared<spdlog::sinks::dist_sink_mt>();
  return sink;
}

}  // namespace

Result<void> configure(const Settings& settings) {
  std::vector<spdlog::sink_ptr> sinks{console_sink()};
  try {
    if (!settings.file.empty()) {
      auto file = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
          settings.file, settings.file_bytes, static_cast<std::size_t>(settings.files_kept));
      file->set_formatter(formatted("%Y-%m-%d %H:%M:%S.%e %-7l %?%n: %v"));
      sinks.push_back(std::move(file));
    }
  } catch (const spdlog::spdlog_ex& error) {
    return fail(Errc::system, "log file {}: {}", settings.file, error.what());
  }
  sink_of_all()->set_sinks(std::move(sinks));
  static std::once_flag first;
  std::call_once(first, [] {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("weft", sink_of_all()));
    spdlog::apply_all(
        [](const std::shared_ptr<spdlog::logger>& logger) { logger->sinks() = {sink_of_all()}; });
  });
  spdlog::set_level(spdlog::level::from_str(settings.level));
  spdlog::flush_on(spdlog::level::info);
  return {};
}

void set_subnet(std::string name) { subnet_of_thread = std::move(name); }

std::shared_ptr<spdlog::logger> named(const std::string& folder) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (auto known = spdlog::get(folder)) return known;
  const auto& sinks = spdlog::default_logger()->sinks();
  auto logger = std::make_shared<spdlog::logger>(folder, sinks.begin(), sinks.end());
  // Not initialize_logger: it would give the shared sinks the library's own pattern.
  logger->set_level(spdlog::get_level());
  logger->flush_on(spdlog::level::info);
  spdlog::register_logger(logger);
  return logger;
}

}  // namespace weft::log
