#include "daemon/preview.h"

#include <algorithm>

#include "base/words.h"
#include "daemon/multicast.h"
#include "daemon/rehearsal.h"
#include "daemon/usable.h"
#include "program/digests.h"
#include "program/programmer.h"
#include "sa/group_care.h"
#include "sa/index.h"
#include "transport/concurrency.h"

namespace weft::daemon {
namespace {

struct Computed {
  discovery::Discovered found;
  Preview preview;
  plan::SaState registrations;
};

bool same_parts(const fabric::Fabric& a, const fabric::Fabric& b) {
  return std::ranges::equal(a.nodes(), b.nodes(), {}, &fabric::Node::guid, &fabric::Node::guid) &&
         std::ranges::equal(a.end_ports(), b.end_ports());
}

/// What becomes of groups and their members.
plan::SaState registrations_after(const plan::SaState& old, const std::shared_ptr<const plan::View>& after,
                                  const config::Settings& settings, std::vector<std::string>& lost) {
  const sa::Index index(after);
  std::vector<sa::Event> events;
  plan::SaState state = old;
  if (auto next = sa::with_own_groups(state, settings.sa.options, after->plan->partitions, events))
    state = std::move(*next);
  sa::Context context{index, state, {}, {}, settings.plan.subnet.prefix};
  context.options = settings.sa.options;
  if (auto next = sa::as_planned(context, events)) state = std::move(*next);
  old.groups.each([&](const plan::McGroup& group) {
    const auto now = state.groups.find(group.mgid);
    const std::size_t left = now ? now->members.size() : 0;
    if (left < group.members.size())
      lost.push_back(fmt::format("group {} loses {} of {}", to_string(group.mgid),
                                 group.members.size() - left, counted(group.members.size(), "member")));
  });
  return state;
}

Result<Computed> compute(const PreviewInput& input) {
  Computed made;
  made.found = without_too_small(*input.found, input.settings->plan.lids, input.ledger);
  const plan::View& before = *input.view;
  if (!same_parts(*made.found.fabric, *before.fabric))
    return fail(Errc::conflict,
                "the fabric is not as it was planned last, or would not be as a whole; ask again after the "
                "next sweep");
  auto planned = plan::make_plan(*made.found.fabric, input.settings->plan, input.ledger, made.found.own_port,
                                 before.plan.get());
  if (!planned) return fail(planned.error());
  Preview& preview = made.preview;
  preview.difference = plan::difference(*before.fabric, *before.plan, *planned->plan);
  auto view = std::make_shared<plan::View>();
  view->generation = before.generation + 1;
  view->fabric = made.found.fabric;
  view->plan = planned->plan;
  view->ledger = planned->ledger;
  view->sm_port = made.found.own_port;
  preview.after = view;
  preview.notes = planned->plan->notes;
  std::erase_if(preview.notes, [&](const std::string& note) {
    return std::ranges::find(before.plan->notes, note) != before.plan->notes.end();
  });
  made.registrations = registrations_after(input.registrations, view, *input.settings, preview.members_lost);
  return made;
}

/// Waits until all trees are written, or will not be.
asio::awaitable<void> settled(Clock& clock, const Multicast& multicast) {
  constexpr int kMostLooks = 30'000;
  for (int i = 0; i < kMostLooks && !multicast.settled(); ++i) {
    auto start = [&clock](transport::Completion<transport::Done> done) {
      auto wake = std::make_shared<transport::Completion<transport::Done>>(std::move(done));
      clock.after(std::chrono::milliseconds(1), [wake] { (*wake)(transport::Done{}); });
    };
    co_await transport::suspend<transport::Done>(std::move(start));
  }
}

}  // namespace

asio::awaitable<Result<Preview>> preview(PreviewAround around, PreviewInput input) {
  auto given = std::make_shared<PreviewInput>(std::move(input));
  auto work = [given] { return compute(*given); };
  Result<Computed> made = co_await compute_on(*around.workers, std::move(work));
  if (!made) co_return fail(made.error());
  const auto executor = co_await asio::this_coro::executor;
  Rehearsal rehearsal(*around.client, *around.clock, executor);
  mad::Shadow& devices = given->devices;
  program::adopt_digests(*made->found.fabric, *made->preview.after->plan, *given->ledger.devices, devices);
  program::Job job;
  job.fabric = made->found.fabric;
  job.plan = made->preview.after->plan;
  job.own_port = made->found.own_port;
  job.devices = given->ledger.devices;
  const program::Programmed done = co_await program::program(rehearsal.client(), devices, job);
  made->preview.links_waiting = done.links_waiting;
  made->preview.held_back = done.held_back;
  transport::Tasks tasks(executor);
  plan::SaState registrations = given->registrations;
  Multicast multicast({&rehearsal.client(),
                       around.clock,
                       around.workers,
                       &tasks,
                       &devices,
                       [&registrations]() -> const plan::SaState& { return registrations; },
                       {},
                       {}},
                      std::make_shared<const plan::MftDigestMap>(), Duration::zero());
  // First as it is, so that what goes is known to have been there.
  multicast.publish(given->view);
  co_await settled(*around.clock, multicast);
  registrations = made->registrations;
  multicast.publish(made->preview.after);
  co_await settled(*around.clock, multicast);
  multicast.silence();
  co_await tasks.all();
  co_await rehearsal.ended();
  made->preview.sets = rehearsal.sets();
  co_return std::move(made->preview);
}

}  // namespace weft::daemon
