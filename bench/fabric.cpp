// weft-fabric: writes a blueprint as an ibsim net file, for the benchmarks and for trying other programs
// on it.

#include <iostream>
#include <string>
#include <string_view>

#include "topology/blueprint.h"
#include "topology/ibsim_file.h"
#include "topology/load.h"

int main(int argc, char** argv) {
  const std::string usage =
      "usage: weft-fabric FILE|BLUEPRINT > fabric.net\n\n"
      "Writes a fabric as a net file of ibsim. FILE: an ibnetdiscover listing, a net file, or "
      "our JSON.\nBlueprints:\n" +
      weft::topology::blueprint_help();
  const std::string_view asked = argc == 2 ? argv[1] : "";
  if (asked == "--help" || asked == "-h") {
    std::cout << usage;
    return 0;
  }
  if (asked.empty() || asked.starts_with('-')) {
    std::cerr << usage;
    return 2;
  }
  const auto topology = weft::topology::load(argv[1]);
  if (!topology) {
    std::cerr << topology.error().what << "\n";
    return 2;
  }
  std::cout << weft::topology::write_ibsim(*topology);
}
