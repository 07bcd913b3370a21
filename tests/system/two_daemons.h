#pragma once
// Two daemons at one port, on whichever simulator.

#include <filesystem>
#include <string>

namespace weft::system_test {

/// Two daemons at the first node of the simulator with this socket: the second writes nothing and says why,
/// and takes over when the first was killed. Fails the test otherwise.
void only_one_of_two_at_a_port_manages(const std::string& socket, const std::filesystem::path& directory);

}  // namespace weft::system_test
