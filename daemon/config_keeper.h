#pragma once
// ConfigKeeper: the configurations that have been in force, each with who asked for it and when, and how one
// comes to be in force: tried until it is confirmed, or for good; and back to the one before. They are kept
// as files that people can read, `configurations/000012.yaml` in the state directory, the newest 100.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "config/read.h"
#include "daemon/status.h"
#include "daemon/workers.h"

namespace weft::daemon {

/// One that was put in force.
struct KeptConfig {
  enum class State {
    tried,      ///< In force until its time is over, unless it is confirmed.
    confirmed,  ///< In force, or was, until another one was.
    reverted,   ///< Was not confirmed in time, or taken back.
  };
  std::uint64_t number = 0;  ///< Rising.
  WallTime time{};
  std::string author;  ///< "alice (uid 1000)", "the file at the start"
  State state = State::confirmed;
  std::string text;
};
std::string_view name(KeptConfig::State state);

class ConfigKeeper {
 public:
  struct Surroundings {
    Clock* clock = nullptr;
    Workers* workers = nullptr;
    std::string directory;  ///< Of the files; made when it is missing.
    /// A text as the configuration file would be read; on the workers.
    std::function<Result<config::Loaded>(const std::string& text)> read;
    /// Why it cannot take the place of the one in force while weftd runs; empty when it can. `back`: it has
    /// been in force before.
    std::function<std::string(const config::Loaded&, bool back)> objection;
    /// Puts it in force.
    std::function<void(config::Loaded)> use;
    std::function<void(Severity, std::string kind, std::string text)> tell;
  };
  using Done = std::function<void(Result<KeptConfig>)>;

  /// `in_force`: the text of the file that was read at the start.
  ConfigKeeper(Surroundings around, std::string in_force);
  ~ConfigKeeper();
  ConfigKeeper(const ConfigKeeper&) = delete;
  ConfigKeeper& operator=(const ConfigKeeper&) = delete;

  /// Reads a text and puts it in force; for good, or until `confirm_within` is over without confirm().
  /// Errors: `invalid` with what is wrong with it; `conflict` when it needs a restart, or when another one is
  /// being tried.
  void apply(std::string text, std::string author, std::optional<Duration> confirm_within, Done done);
  /// The one that is tried stays. Errors: `not_found` when none is.
  Result<KeptConfig> confirm(const std::string& author);
  /// Back to the one before: at once for one that is tried, else as apply(). Errors: `not_found` when there
  /// is none, and those of apply().
  void undo(std::string author, Done done);
  /// The file was read anew and is in force: whatever was tried is over.
  void file_was_read(std::string text);

  /// Oldest first.
  const std::vector<KeptConfig>& history() const { return history_; }
  /// When the one that is tried goes back; nothing when none is tried.
  std::optional<WallTime> until() const { return until_; }

 private:
  void start(std::string text, std::string author, std::optional<Duration> confirm_within, bool back,
             Done done);
  void take(config::Loaded loaded, std::string text, std::string author, KeptConfig::State state);
  void revert(const std::string& why);
  void load();
  void keep(const KeptConfig& config);
  const KeptConfig* last_good() const;

  Surroundings around_;
  std::vector<KeptConfig> history_;
  std::optional<WallTime> until_;
  Clock::TimerId timer_ = Clock::TimerId::none;
  bool reading_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace weft::daemon
