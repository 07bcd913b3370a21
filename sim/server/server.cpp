#include "sim/server/server.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sim/server/address.h"

namespace weft::sim {
namespace {

using transport::ibsim::Descriptor;

constexpr int kBufferBytes = 4 << 20;  // a burst of requests of a big fabric
constexpr Duration kAliveEvery = std::chrono::seconds(1);

/// As large as the system allows.
void enlarge(int fd) {
  for (const int option : {SO_SNDBUFFORCE, SO_SNDBUF})
    if (::setsockopt(fd, SOL_SOCKET, option, &kBufferBytes, sizeof(kBufferBytes)) == 0) break;
}

bool is_kind(std::span<const std::uint8_t> message, std::uint32_t kind) {
  const std::optional<wire::Head> head = head_of(message);
  return head && head->kind == kind;
}

std::vector<std::uint8_t> connected(std::span<const std::uint8_t> message, const Client& client) {
  wire::Head head = head_of(message).value_or(wire::Head{});
  head.client = raw(client.id());
  auto data = data_of<wire::Connect>(message);
  data.id = raw(client.id());
  if (data.node[0] == '\0') {
    const World& world = client.world();
    const std::string& id = world.node(world.port(client.port()).node).id;
    std::copy_n(id.begin(), std::min(id.size(), data.node.size() - 1), data.node.begin());
  }
  return control_message(head, {reinterpret_cast<const std::uint8_t*>(&data), sizeof(data)});
}

int errno_of(const Error& error) {
  switch (error.code) {
    case Errc::conflict:
      return EBUSY;
    case Errc::unavailable:
      return ENODEV;
    default:
      return ENOENT;
  }
}

}  // namespace

Server::Server(Loop& loop, Desk& desk, std::string name) : loop_(loop), desk_(desk), name_(std::move(name)) {}

Server::~Server() {
  loop_.cancel(alive_timer_);
  loop_.at_end_of_turn({});
  while (!links_.empty()) close_link(links_.begin()->first);
  if (control_.get() >= 0) loop_.forget(control_.get());
  if (listener_.get() >= 0) loop_.forget(listener_.get());
}

Result<void> Server::open() {
  Result<Descriptor> control = bound_socket(SOCK_DGRAM, name_ + ":ctl");
  if (!control) return fail(control.error());
  Result<Descriptor> listener = bound_socket(SOCK_SEQPACKET, name_ + ":weft");
  if (!listener) return fail(listener.error());
  control_ = std::move(*control);
  listener_ = std::move(*listener);
  probe_ = Descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (::listen(listener_.get(), SOMAXCONN) != 0)
    return fail(Errc::system, "listen: {}", std::strerror(errno));
  if (auto done = loop_.watch(control_.get(), EPOLLIN, [this](std::uint32_t) { read_control(); }); !done)
    return done;
  if (auto done = loop_.watch(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept_all(); }); !done)
    return done;
  loop_.at_end_of_turn([this] { flush(); });
  alive_timer_ = loop_.after(kAliveEvery, [this] { check_alive(); });
  return {};
}

int Server::receive(int fd) {
  std::array<mmsghdr, kBatch> messages{};
  std::array<iovec, kBatch> parts{};
  for (std::size_t i = 0; i < kBatch; ++i) {
    parts[i] = {batch_->bytes[i].data(), kBufferSize};
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  const int count = ::recvmmsg(fd, messages.data(), kBatch, MSG_DONTWAIT, nullptr);
  if (count < 0) return errno == EAGAIN || errno == EINTR || errno == ENOBUFS || errno == ENOMEM ? 0 : -1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const bool cut = (messages[i].msg_hdr.msg_flags & MSG_TRUNC) != 0;
    batch_->sizes[i] = cut ? kBufferSize : messages[i].msg_len;
  }
  return count;
}

// Programs for ibsim.

void Server::read_control() {
  for (std::size_t i = 0; i < kBatch; ++i) {
    Address from;
    std::array<std::uint8_t, kBufferSize> message{};
    iovec part{message.data(), message.size()};
    msghdr header{};
    header.msg_name = &from.unix_part;
    header.msg_namelen = sizeof(from.unix_part);
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    const ssize_t size = ::recvmsg(control_.get(), &header, MSG_DONTWAIT);
    if (size < 0) return;
    from.length = header.msg_namelen;
    take_control(std::span<const std::uint8_t>(message).first(static_cast<std::size_t>(size)), name_of(from));
  }
}

void Server::take_control(std::span<const std::uint8_t> message, const std::string& from) {
  const std::optional<wire::Head> head = head_of(message);
  const std::optional<Address> back = address_of(from);
  if (!head || !back || from.empty()) return;
  const auto send_back = [&](const std::vector<std::uint8_t>& answer) {
    ::sendto(control_.get(), answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL, back->get(),
             back->length);
  };
  if (head->kind == wire::kConnect) return connect_stock(message, from);
  if (head->kind == wire::kDescribe) return send_back(desk_.describe(message));
  Client* client = desk_.find(head->client);
  Link* link = client == nullptr ? nullptr : link_of(*client);
  if (link == nullptr || link->peer != from) return;
  send_back(desk_.answer(*client, message));
  if (head->kind == wire::kDisconnect) close_link(link->fd.get());
}

void Server::connect_stock(std::span<const std::uint8_t> message, const std::string& from) {
  const auto asked = data_of<wire::Connect>(message);
  const wire::Head head = head_of(message).value_or(wire::Head{});
  const Address back = *address_of(from);
  const auto send_back = [&](const std::vector<std::uint8_t>& answer) {
    ::sendto(control_.get(), answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL, back.get(),
             back.length);
  };
  // The same names again: whoever had them is gone.
  const auto old = std::ranges::find_if(links_, [&](const auto& entry) { return entry.second.peer == from; });
  if (old != links_.end()) close_link(old->first);

  const Result<Client*> client = desk_.connect(Client::Kind::stock, asked);
  if (!client) return send_back(refusal(head, errno_of(client.error())));
  Link link;
  link.client = *client;
  link.peer = from;
  link.data_address = fmt::format("{}:in{}", name_, asked.id);
  const std::optional<Address> data = address_of(link.data_address);
  Result<Descriptor> socket = bound_socket(SOCK_DGRAM, fmt::format("{}:out{}", name_, raw((*client)->id())));
  if (!socket || !data || ::connect(socket->get(), data->get(), data->length) != 0) {
    desk_.disconnect(**client);
    return send_back(refusal(head, ECONNREFUSED));
  }
  const int fd = socket->get();
  enlarge(fd);
  link.fd = std::move(*socket);
  fds_[*client] = fd;
  links_.emplace(fd, std::move(link));
  if (!loop_.watch(fd, EPOLLIN, [this, fd](std::uint32_t events) { read_link(fd, events); }))
    return close_link(fd);
  send_back(connected(message, **client));
}

// Programs of our own.

void Server::accept_all() {
  while (true) {
    Descriptor made(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    const int fd = made.get();
    if (fd < 0) {
      if (errno != EAGAIN && errno != ECONNABORTED) loop_.rest(listener_.get(), EPOLLIN);
      return;
    }
    enlarge(fd);
    links_[fd].fd = std::move(made);
    if (!loop_.watch(fd, EPOLLIN, [this, fd](std::uint32_t events) { read_link(fd, events); }))
      close_link(fd);
  }
}

void Server::connect_wide(Link& link, std::span<const std::uint8_t> message) {
  const wire::Head head = head_of(message).value_or(wire::Head{});
  auto asked = data_of<wire::Connect>(message);
  if (link.client != nullptr) return reply(link, refusal(head, EISCONN));
  if (asked.extension != wire::kExtension || asked.version != wire::kVersion)
    return reply(link, refusal(head, EPROTO));
  const Result<Client*> client = desk_.connect(Client::Kind::wide, asked);
  if (!client) return reply(link, refusal(head, errno_of(client.error())));
  link.client = *client;
  fds_[*client] = link.fd.get();
  reply(link, connected(message, **client));
}

/// In the order of the MADs when there are any.
void Server::reply(Link& link, std::span<const std::uint8_t> message) {
  if (link.client == nullptr || message.size() > sizeof(Datagram::bytes)) {
    ::send(link.fd.get(), message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return;
  }
  if (Datagram* out = link.client->next_outgoing()) {
    std::ranges::copy(message, out->bytes.begin());
    out->size = message.size();
  }
}

// Both.

void Server::read_link(int fd, std::uint32_t events) {
  Link& link = links_.at(fd);
  if ((events & EPOLLOUT) != 0 && !flush(link)) return;
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) == 0) return;
  const int count = receive(fd);
  const bool stream = link.peer.empty();
  // On a stock client's socket an error only says that a datagram of ours did not arrive; sending will tell.
  if (count < 0) return stream ? close_link(fd) : check_alive();
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    if (stream && batch_->sizes[i] == 0) return close_link(fd);
    if (!take_message(link, std::span<const std::uint8_t>(batch_->bytes[i]).first(batch_->sizes[i]))) return;
  }
}

/// False when the link is gone.
bool Server::take_message(Link& link, std::span<const std::uint8_t> message) {
  const bool stream = link.peer.empty();
  if (!stream || (message.size() == wire::kWideSize && link.client != nullptr)) {
    desk_.take(*link.client, message);
    return true;
  }
  if (is_kind(message, wire::kConnect)) {
    connect_wide(link, message);
  } else if (is_kind(message, wire::kDescribe)) {
    reply(link, desk_.describe(message));
  } else if (is_kind(message, wire::kDisconnect)) {
    close_link(link.fd.get());
    return false;
  } else if (link.client != nullptr) {
    if (const std::vector<std::uint8_t> answer = desk_.answer(*link.client, message); !answer.empty())
      reply(link, answer);
  }
  return true;
}

void Server::flush() {
  for (Client* client : desk_.take_dirty())
    if (Link* link = link_of(*client); link != nullptr && !link->waits_to_write) flush(*link);
}

/// False when the link is gone.
bool Server::flush(Link& link) {
  const int fd = link.fd.get();
  while (!link.client->outgoing().empty()) {
    const std::span<Datagram> waiting = link.client->outgoing().items();
    const std::size_t count = std::min(waiting.size(), kBatch);
    std::array<mmsghdr, kBatch> messages;
    std::array<iovec, kBatch> parts;
    for (std::size_t i = 0; i < count; ++i) {
      parts[i] = {waiting[i].bytes.data(), waiting[i].size};
      messages[i] = {};
      messages[i].msg_hdr.msg_iov = &parts[i];
      messages[i].msg_hdr.msg_iovlen = 1;
    }
    const int sent =
        ::sendmmsg(fd, messages.data(), static_cast<unsigned>(count), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      link.client->sent(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EAGAIN || errno == ENOBUFS || errno == EINTR || errno == ENOMEM) break;
    close_link(fd);
    return false;
  }
  if (link.client->lost()) {
    close_link(fd);
    return false;
  }
  const bool waits = !link.client->outgoing().empty();
  if (waits != link.waits_to_write) loop_.change(fd, waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
  link.waits_to_write = waits;
  return true;
}

Server::Link* Server::link_of(const Client& client) {
  const auto fd = fds_.find(&client);
  return fd == fds_.end() ? nullptr : &links_.at(fd->second);
}

void Server::close_link(int fd) {
  const auto found = links_.find(fd);
  if (found == links_.end()) return;
  loop_.forget(fd);
  Client* client = found->second.client;
  links_.erase(found);
  if (client == nullptr) return;
  fds_.erase(client);
  desk_.disconnect(*client);
}

bool Server::drop_client(std::uint32_t number) {
  Client* client = desk_.find(number);
  Link* link = client == nullptr ? nullptr : link_of(*client);
  if (link == nullptr) return false;
  close_link(link->fd.get());
  return true;
}

/// A stock client that was killed says nothing: its socket's name is free again.
void Server::check_alive() {
  std::vector<int> gone;
  for (const auto& [fd, link] : links_) {
    if (link.peer.empty()) continue;
    const Address address = *address_of(link.data_address);
    if (::connect(probe_.get(), address.get(), address.length) != 0 && errno == ECONNREFUSED)
      gone.push_back(fd);
  }
  for (const int fd : gone) close_link(fd);
  loop_.cancel(alive_timer_);
  alive_timer_ = loop_.after(kAliveEvery, [this] { check_alive(); });
}

}  // namespace weft::sim
