#include "routing/tree_reach.h"

#include "routing/parallel.h"

namespace weft::routing {

TreeReach::TreeReach(const TreeShape& shape, unsigned threads)
    : live_(shape.live),
      words_((shape.live + 63) / 64),
      levels_(shape.top + 1U),
      rows_(static_cast<std::size_t>(levels_) * live_ * words_) {
  const auto add = [this](std::uint64_t* to, const std::uint64_t* from) {
    for (std::uint32_t w = 0; w < words_; ++w) to[w] |= from[w];
  };
  std::uint32_t first = 0;
  for (std::uint32_t rank = 0; rank < levels_; ++rank) {
    const std::uint32_t count = shape.switch_count[rank];
    in_pieces(count, threads, [&](std::uint32_t from, std::uint32_t upto) {
      for (std::uint32_t i = first + from; i < first + upto; ++i) {
        const std::uint32_t s = shape.by_rank[i];
        std::uint64_t* down = rows_.data() + std::size_t{s} * words_;
        down[s / 64] |= std::uint64_t{1} << s % 64;
        for (const TreeShape::Down& d : shape.downs(s)) add(down, row(0, d.child));
      }
    });
    first += count;
  }
  for (std::uint32_t k = 1; k < levels_; ++k) {
    in_pieces(live_, threads, [&](std::uint32_t from, std::uint32_t upto) {
      for (std::uint32_t s = from; s < upto; ++s) {
        std::uint64_t* to = rows_.data() + (std::size_t{k} * live_ + s) * words_;
        const TreeShape::Up& up = shape.up[s];
        for (std::uint32_t i = 0; i < up.slots; ++i) {
          const std::uint32_t parent = shape.to[up.first_to + i];
          if (parent < live_ && shape.alive(s, i)) add(to, row(k - 1, parent));
        }
      }
    });
  }
}

}  // namespace weft::routing
