// The part of Asio's TLS that is compiled once (weft_boost asks for that).
#include <boost/asio/ssl/impl/src.hpp>
