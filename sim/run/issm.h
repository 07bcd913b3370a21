#pragma once
// Issm: the device whose opening makes a port say that an SM is there. Programs open its path themselves, so
// the C library's open is intercepted; the descriptor they get is a connection to weftsim, and closing it, or
// dying, clears IsSM.

namespace weft::run {

/// A port number follows.
inline constexpr const char* kIssmPrefix = "/dev/infiniband/issm-weftsim";

/// The port in an issm path; -1 for any other path.
int issm_port(const char* path);
/// Waits until no other has it, unless O_NONBLOCK is in `flags`. A descriptor, or -1 and errno: EAGAIN.
int open_issm(int port, int flags);

}  // namespace weft::run
