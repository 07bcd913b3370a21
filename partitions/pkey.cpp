#include "partitions/pkey.h"

namespace weft::partitions {

bool may_talk(Pkey a, Pkey b) {
  return is_valid(a) && partition_of(a) == partition_of(b) && (is_full(a) || is_full(b));
}

}  // namespace weft::partitions
