// What is wrong, in one list, worst first, each with what to do next; from GET /v1/status and the fabric.
// Pure.

import {healthOf, linkEndsIn, findLink, nodeIn, shortName} from './model.js';

const ORDER = {
  bad: 0,
  warn: 1,
  info: 2
};
const some = (list, words, most = 3) =>
    list.slice(0, most).map(words).join(', ') + (list.length > most ? ` and ${list.length - most} more` : '');

const linkWords = (fabric, link) =>
    `${shortName(fabric.nodes[link.a])}/${link.a_port} - ${shortName(fabric.nodes[link.b])}/${link.b_port}`;

/**
 * @returns [{level: 'bad'|'warn'|'info', text, todo, command, place: {node} | {link} | undefined}], worst
 *     first
 */
export function issuesOf(status, fabric) {
  const issues = [...ofDaemon(status), ...ofRouting(status), ...ofNodes(status, fabric), ...ofLinks(fabric)];
  return issues.sort((a, b) => ORDER[a.level] - ORDER[b.level]);
}

function ofDaemon(status) {
  const issues = [];
  const say = (level, text, todo, command) => issues.push({level, text, todo, command});
  if (status.state !== 'master')
    say(status.state === 'standby' ? 'info' : 'bad', `this manager is ${status.state.replaceAll('_', ' ')}`,
        status.state === 'standby' ? 'Another manager is master; what you see is what this one found.' :
                                     status.text,
        'weftctl status');
  if (status.last_sweep?.error)
    say('bad', `sweep ${status.last_sweep.number} failed: ${status.last_sweep.error}`,
        'It is tried again by itself; the log has the details.', 'weftctl events');
  if (status.store !== 'ok')
    say('bad', `state file: ${status.store}`,
        'LIDs and registrations are not kept over a restart until this is mended.', 'journalctl -u weftd');
  if (/not |away|unreachable/.test(status.shared))
    say('warn', `shared state: ${status.shared}`,
        'A take-over by another manager would lose what etcd has not got.');
  for (const text of status.unmatched)
    say('info', text,
        'The configuration names something that is not in the fabric: correct it, or ignore this while the device is away.',
        'weftctl config show');
  if (status.plan?.policies && !status.plan.policies.partitions_in_force)
    say('bad', 'the partitions of the configuration are not in force',
        'The last good ones stay; the status names the fault.', 'weftctl status');
  return issues;
}

function ofRouting(status) {
  const routing = status.routing;
  if (!routing) return [];
  const issues = [];
  if (routing.pairs_lost > 0)
    issues.push({
      level: 'bad',
      text: `${routing.pairs_lost.toLocaleString('en')} pairs of ports do not reach each other`,
      todo:
          'Look for what is missing below: the fabric is in parts, or entries were kept by on_failure: keep-last.',
      command: 'weftctl status'
    });
  for (const refusal of routing.refusals)
    issues.push({
      level: 'warn',
      text: `routing engine ${refusal.engine} refused: ${refusal.reason}`,
      todo: `${routing.engine} is in use instead.`,
      command: 'weftctl plan --engine ' + refusal.engine
    });
  if (routing.beyond_named)
    issues.push({
      level: 'warn',
      text: `none of the engines named in the configuration fits: ${routing.engine} is in use`,
      todo: 'Mend the cabling, or name an engine that fits.'
    });
  return issues;
}

function ofNodes(status, fabric) {
  const problems = status.problems.map(
      (problem) => ({
        level: 'bad',
        text: problem.what,
        todo: 'The node is left out or not as planned; it is tried again at the next sweep.',
        command: 'weftctl sweep',
        place: place(fabric, problem.what, problem.node),
      }));
  const dirty =
      status.dirty.map((block) => ({
                         level: 'warn',
                         text: `${block.name ?? block.node}: ${block.what} not written: ${block.why}`,
                         todo: 'It is sent again at the next sweep.',
                         command: 'weftctl sweep',
                         place: place(fabric, '', block.node),
                       }));
  const missing = status.missing.map(
      (text) => ({
        level: 'bad',
        text,
        place: place(fabric, text),
        todo: text.startsWith('link') ? 'Check the cable and both its plugs. If it was taken out for good:' :
                                        'Check its power and cables. If it was taken out for good:',
        command: 'weftctl accept',
      }));
  return [...problems, ...missing, ...dirty];
}

function place(fabric, text, guid) {
  const ends = linkEndsIn(text);
  const link = ends && findLink(fabric, ends);
  if (link) return {link};
  const node = (guid && fabric.byGuid.get(guid)) || nodeIn(fabric, text);
  return node && {node};
}

/** Links that are there and not as they should be; those that are missing are told by name elsewhere. */
function ofLinks(fabric) {
  const kinds = {starting: [], held: [], drained: [], degraded: []};
  for (const link of fabric.links)
    if (!link.lost) kinds[healthOf(link)]?.push(link);
  const tell = (level, links, one, many, todo, command) => links.length === 0 ? [] : [{
    level,
    todo,
    command,
    place: {link: links[0]},
    text: `${links.length === 1 ? one : `${links.length} ${many}`}: ${
        some(links, (link) => linkWords(fabric, link))}`
  }];
  return [
    ...tell(
        'bad', kinds.starting, 'a link is not active', 'links are not active',
        'They come up with the next sweep, or the status says why not.', 'weftctl links --state init'),
    ...tell(
        'warn', kinds.degraded, 'a link is slower or narrower than both its ends can be',
        'links are slower or narrower than both their ends can be',
        'Reseat or change the cable; dirt and a lane that failed are the usual causes.',
        'weftctl links --slow'),
    ...tell(
        'warn', kinds.held, 'a link is held or disabled', 'links are held or disabled',
        'The orders and their reasons:', 'weftctl upkeep'),
    ...tell(
        'info', kinds.drained, 'a link is drained', 'links are drained',
        'Give it back when the work is done:', 'weftctl undrain PLACE'),
  ];
}
