// weft-fabric: writes a blueprint as an ibsim net file, for the benchmarks and for trying other programs on it.

#include <iostream>

#include "topology/ibsim_file.h"
#include "topology/load.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: weft-fabric FILE|BLUEPRINT > fabric.net\n";
    return 2;
  }
  const auto topology = weft::topology::load(argv[1]);
  if (!topology) {
    std::cerr << topology.error().what << "\n";
    return 1;
  }
  std::cout << weft::topology::write_ibsim(*topology);
}
