#pragma once
// What a long-running process asks of the C library's allocator.

namespace weft {

/// Memory that was freed stays with the process, to be used again: each plan makes tables of megabytes anew,
/// and to give them back and have them zeroed page by page costs more than to compute them. For main(), before
/// threads start. The process stays as large as it once was.
void keep_freed_memory();

}  // namespace weft
