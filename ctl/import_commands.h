#pragma once
// weftctl import opensm: what OpenSM's files become here. Needs no daemon.

#include <string>

#include "ctl/commands.h"

namespace weft::ctl {

enum class OpensmFile { partitions, qos_policy, options };

/// Writes YAML for weft.yaml, each part with the line that it comes from; with --json the same as one object.
Exit import_opensm(const Output& output, OpensmFile kind, const std::string& file);

}  // namespace weft::ctl
