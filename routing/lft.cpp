#include "routing/lft.h"

#include <algorithm>
#include <cassert>

namespace weft::routing {
namespace {

Lft::Memory copy_of(std::span<const std::uint8_t> ports) {
  Lft::Memory memory(new std::uint8_t[ports.size()]);
  std::copy_n(ports.data(), ports.size(), memory.get());
  return memory;
}

Lft::Memory filled(std::size_t size, std::uint8_t port) {
  Lft::Memory memory(new std::uint8_t[size]);
  std::fill_n(memory.get(), size, port);
  return memory;
}

bool equal(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  return a.size() == b.size() && (a.data() == b.data() || std::equal(a.begin(), a.end(), b.begin()));
}

}  // namespace

Lft::Lft(std::size_t size, std::uint8_t port) : Lft(filled(size, port), size) {}

Lft::Lft(std::span<const std::uint8_t> ports) : Lft(copy_of(ports), ports.size()) {}

Lft::Lft(std::span<const std::uint8_t> ports, const Lft& like) : size_(ports.size()) {
  assert(size_ % kBlock == 0 && piece_count() <= kMostPieces);
  for (std::size_t i = 0; i < piece_count(); ++i) {
    const std::span<const std::uint8_t> wanted =
        ports.subspan(i * kPiece, std::min(kPiece, size_ - i * kPiece));
    if (i < like.piece_count() && equal(wanted, like.piece(i)))
      pieces_[i] = like.pieces_[i];
    else
      pieces_[i] = copy_of(wanted);
  }
}

Lft::Lft(const Memory& memory, std::size_t size) : size_(size) {
  assert(size_ % kBlock == 0 && piece_count() <= kMostPieces);
  for (std::size_t i = 0; i < piece_count(); ++i)
    pieces_[i] = std::shared_ptr<const std::uint8_t[]>(memory, memory.get() + i * kPiece);
}

Lft Lft::with(std::span<const Entry> entries) const {
  Lft changed = *this;
  std::array<std::uint8_t*, kMostPieces> own{};
  for (const Entry& e : entries) {
    assert(e.lid < size_);
    const std::size_t i = e.lid / kPiece;
    if (own[i] == nullptr) {
      Memory memory = copy_of(piece(i));
      own[i] = memory.get();
      changed.pieces_[i] = std::move(memory);
    }
    own[i][e.lid % kPiece] = e.port;
  }
  return changed;
}

bool Lft::operator==(const Lft& other) const {
  if (size_ != other.size_) return false;
  for (std::size_t i = 0; i < piece_count(); ++i)
    if (!equal(piece(i), other.piece(i))) return false;
  return true;
}

}  // namespace weft::routing
