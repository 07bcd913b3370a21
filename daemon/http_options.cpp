#include "daemon/http_options.h"

#include "config/listen.h"

namespace weft::daemon {

namespace {

Result<std::string> token_in(const std::string& file) {
  if (file.empty()) return std::string();
  return read_token(file);
}

}  // namespace

Result<HttpOptions> http_options(const config::Settings& settings) {
  HttpOptions options;
  options.socket = settings.control.socket;
  options.group = settings.control.group;
  options.admin_group = settings.control.admin_group;
  const config::ControlTcpSettings& tcp = settings.control.tcp;
  if (tcp.listen.empty()) return options;
  const Result<config::Listen> listen = config::listen_from(tcp.listen);
  if (!listen) return fail(listen.error());
  Result<std::string> read = token_in(tcp.read_token_file);
  if (!read) return fail(read.error());
  Result<std::string> write = token_in(tcp.write_token_file);
  if (!write) return fail(write.error());
  TcpOptions& made = options.tcp.emplace();
  made.address = listen->address;
  made.port = listen->port;
  made.cert = tcp.cert;
  made.key = tcp.key;
  made.tokens = {std::move(*read), std::move(*write), tcp.open_reading, listen->loopback, !tcp.cert.empty()};
  return options;
}

}  // namespace weft::daemon
