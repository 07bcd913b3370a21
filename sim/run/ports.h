#pragma once
// Ports: the open ones of this process, by the descriptor that the program knows them by.

#include <memory>

#include "sim/run/port.h"

namespace weft::run {

/// Attaches to a port of our node. Returns the descriptor, or a negative number of errno.
int open_port(int number);
/// 0 or -EINVAL.
int close_port(int fd);
/// Null when the descriptor is none of ours.
std::shared_ptr<Port> port_at(int fd);

}  // namespace weft::run
