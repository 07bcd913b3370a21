// What stands beside the map: health, path, events, overlays, and what is selected.

import {h, fill, count} from './dom.js';
import {byName, healthOf, peerOf, portOf, shortName} from './model.js';

const place = (issue, locate) => issue.place &&
    h('button', {class: 'link', type: 'button', onclick: () => locate(issue.place)}, 'show on the map');

/** What is wrong, and what to do next. */
export function healthPanel(element, {issues, status, fabric, locate}) {
  const worst = issues[0]?.level;
  const serious = issues.filter((issue) => issue.level !== 'info').length;
  const verdict = serious === 0 ?
      h('div', {class: 'verdict good'}, h('strong', {}, 'Nothing is wrong'), status.text) :
      h('div', {class: `verdict ${worst}`},
        h('strong', {}, `${count(serious, 'thing needs', 'things need')} a look`), status.text);
  const list = issues.slice(0, 100).map(
      (issue) =>
          h('li', {class: issue.level}, issue.text,
            h('span', {class: 'do'}, issue.todo, issue.command ? [' ', h('code', {}, issue.command)] : null),
            place(issue, locate)));
  const sweep = status.last_sweep;
  const routing = status.routing;
  fill(
      element, verdict, h('ul', {class: 'list'}, list),
      issues.length > 100 ? h('p', {class: 'quiet'}, `and ${issues.length - 100} more: weftctl status`) :
                            null,
      h('h3', {}, 'The fabric'),
      h('dl', {class: 'facts'}, facts([
          ['Shape', fabric.shape.text],
          ['Routing', routing && `${routing.engine}, ${count(routing.vls_needed, 'lane')}`],
          [
            'Pairs reached',
            routing &&
                (routing.pairs_lost ?
                     `all but ${routing.pairs_lost} of ${routing.pairs.toLocaleString('en')}` :
                     `all ${routing.pairs.toLocaleString('en')}`)
          ],
          ['Longest path', routing && count(routing.longest, 'link')],
          [
            'Last sweep',
            sweep &&
                `#${sweep.number} ${sweep.kind}, ${Math.round(sweep.took_ms)} ms, ${
                    sweep.clean ? 'clean' : 'not clean'}`
          ],
          ['Cause', sweep?.cause],
          [
            'Other managers',
            status.other_managers.length > 0 &&
                status.other_managers.map((one) => `${one.state} ${one.guid}`).join(', ')
          ],
          ['Generation', String(status.generation)],
        ])));
}

const facts = (rows) =>
    rows.filter(([, value]) => value).map(([key, value]) => [h('dt', {}, key), h('dd', {}, value)]);

/** The way between two hosts. */
export function pathPanel(element, {ends, path, error, busy, ask, clear, locate}) {
  const from = h('input', {
    id: 'path-from',
    value: ends.from,
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'name, GUID or LID'
  });
  const to = h('input', {
    id: 'path-to',
    value: ends.to,
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'name, GUID or LID'
  });
  const form =
      h('form', {
        class: 'pair',
        onsubmit: (event) => {
          event.preventDefault();
          ask(from.value, to.value);
        }
      },
        h('label',
          { for: 'path-from'
          },
          'From'),
        from,
        h('button', {type: 'button', 'aria-label': 'Swap the ends', onclick: () => ask(to.value, from.value)},
          '⇅'),
        h('label', { for: 'path-to'
        }, 'To'), to, h('button', {type: 'submit'}, 'Light'));
  fill(
      element, form,
      error ? h('p', {class: 'error', role: 'alert'}, error.message,
                error.hint ? h('span', {class: 'do'}, ` ${error.hint}`) : null) :
              null,
      busy ? h('p', {class: 'quiet'}, 'asking …') : null,
      path ?
          hops(path, clear, locate) :
          h('p', {class: 'quiet'},
            'Select a host and press a, another and press b; or type names. The way by the planned tables is lit link by link.'));
}

function hops(path, clear, locate) {
  const level =
      path.level && h('p', {}, 'Service level ', h('strong', {}, path.level.name ?? String(path.level)));
  const items = path.hops.map((hop, i) => {
    const also = hop.also.filter((one) => !one.spare).map((one) => one.port);
    const spare = hop.also.filter((one) => one.spare).map((one) => one.port);
    return h(
        'li', {}, h('span', {class: 'number'}, String(i + 1)),
        h('div', {},
          h('button', {
            class: 'link',
            type: 'button',
            onclick: () => locate(hop.link ? {link: hop.link} : {node: hop.to})
          },
            `${hop.out.name.split(' ')[0]} port ${hop.out.port} → ${hop.in.name.split(' ')[0]} port ${
                hop.in.port}`),
          h('small', {}, `${hop.width} ${hop.speed}, ${hop.state}`,
            hop.vl !== undefined && hop.vl !== null ? `, VL ${hop.vl}` : '',
            also.length > 0 ? `; adaptive: also port${also.length > 1 ? 's' : ''} ${ranges(also)}` : '',
            spare.length > 0 ? `; spare ${ranges(spare)}` : '')));
  });
  return h(
      'div', {id: 'path-found'},
      h('p', {}, h('strong', {}, count(path.hops.length, 'link')),
        ` from ${path.from.name.split(' ')[0]} (LID ${path.from.lid}) to ${path.to.name.split(' ')[0]} (LID ${
            path.to.lid})`),
      level, h('ol', {class: 'hops'}, items),
      h('button', {type: 'button', onclick: clear}, 'Clear the path'));
}

/** "3-6, 9" */
export function ranges(ports) {
  const parts = [];
  for (const port of [...ports].sort((a, b) => a - b)) {
    const last = parts[parts.length - 1];
    if (last && last[1] === port - 1)
      last[1] = port;
    else
      parts.push([port, port]);
  }
  return parts
      .map(
          ([low, high]) =>
              (low === high         ? low :
                   high === low + 1 ? `${low}, ${high}` :
                                      `${low}-${high}`))
      .join(', ');
}

/** The latest events, newest first; a click goes to the place. */
export function eventsPanel(element, {events, until, go, connected}) {
  const shown = events.filter((event) => until === null || event.at <= until).slice(-200).reverse();
  const list = shown.map(
      (event) => h(
          'li', {class: {error: 'bad', warning: 'warn', info: 'info'}[event.severity]},
          h('span', {class: 'kind'}, event.kind),
          h('time', {datetime: event.time}, new Date(event.at).toLocaleTimeString('sv-SE')),
          h('div', {}, h('button', {class: 'link', type: 'button', onclick: () => go(event)}, event.text))));
  fill(
      element,
      h('p', {class: 'quiet'},
        connected ? 'Live; the newest first.' : 'The stream is broken off: trying again.',
        until === null ? '' : ' Up to the moment that the slider shows.'),
      list.length === 0 ? h('p', {}, 'Nothing has happened yet.') : h('ul', {class: 'list events'}, list));
}

/** Partitions and service levels. */
export function overlayPanel(element, {partitions, levels, chosen, choose, vls, showLanes}) {
  const picker =
      h('select', {id: 'partition', onchange: (event) => choose(event.target.value)},
        h('option', {value: ''}, 'none'),
        partitions.map(
            (one) =>
                h('option', {value: one.key, selected: chosen?.key === one.key},
                  `${one.name} (${one.key}): ${one.full} full, ${one.limited} limited`)));
  const rows = levels.map(
      (level) =>
          h('tr', {}, h('td', {}, level.name, level.default ? ' (default)' : ''),
            h('td', {class: 'number'}, String(level.sl)), h('td', {}, level.lanes.join(', ')),
            h('td', {}, level.priority),
            h('td', {class: 'number'}, level.share ? `${Math.round(level.share * 100)} %` : '-')));
  fill(
      element,
      h('h3', {},
        h('label',
          { for: 'partition'
          },
          'Partition: members lit, others faint')),
      partitions.length > 0 ?
          picker :
          h('p', {class: 'quiet'}, 'No partitions are configured: every port is in the default one, 0xffff.'),
      chosen ? h('p', {},
                 `${chosen.name} (${chosen.key}): ${count(chosen.full, 'full member')}, ${
                     count(chosen.limited, 'limited member')}.`) :
               null,
      h('h3', {}, 'Service levels'),
      levels.length > 0 ?
          h('table', {},
            h('thead', {},
              h('tr', {},
                ['Level', 'SL', 'Lanes', 'Priority', 'Share'].map((text) => h('th', {scope: 'col'}, text)))),
            h('tbody', {}, rows)) :
          h('p', {class: 'quiet'}, 'No service levels are configured: all traffic shares the lanes.'),
      h('p', {}, 'The lanes that a path takes stand beside its hops.'),
      h('div', {class: 'row'},
        h('button', {type: 'button', onclick: showLanes, 'aria-pressed': String(vls)},
          'Colour links by their lanes')));
}

/** A node or a link. */
export function selectedPanel(element, {what, fabric, close, select, pathFrom, pathTo, show}) {
  element.hidden = !what;
  if (!what) return fill(element);
  const head = h('button', {class: 'close', type: 'button', 'aria-label': 'Close', onclick: close}, '×');
  return what.node ? fill(element, head, ofNode(what.node, fabric, {select, pathFrom, pathTo, show})) :
                     fill(element, head, ofLink(what.link, fabric, {select, show}));
}

function ofNode(node, fabric, {select, pathFrom, pathTo, show}) {
  const links = [...node.links].sort((a, b) => portOf(node, a) - portOf(node, b));
  const up = links.filter((link) => !link.lost && link.state === 'active').length;
  const rows = links.slice(0, 130).map((link) => {
    const peer = peerOf(fabric, node, link);
    const leaving = link.a === node.index ? link.flows_ab : link.flows_ba;
    return h(
        'tr', {}, h('td', {class: 'number'}, String(portOf(node, link))),
        h('td', {},
          h('button', {class: 'link', type: 'button', onclick: () => select({node: peer})}, shortName(peer)),
          ` / ${portOf(peer, link)}`),
        h('td', {},
          h('button', {class: 'link', type: 'button', onclick: () => select({link})}, healthWords(link))),
        h('td', {class: 'number'},
          leaving === null || leaving === undefined ? '' : leaving.toLocaleString('en')));
  });
  return [
    h('h2', {}, node.name || node.guid),
    h('dl', {class: 'facts'}, facts([
        ['Type', node.type === 'hca' ? 'host (HCA)' : node.type],
        ['GUID', h('span', {class: 'mono'}, node.guid)], ['LID', node.lid ? String(node.lid) : 'none'],
        ['Group', Number.isInteger(node.group) && fabric.shape.kind !== 'tree' && String(node.group)],
        ['State', node.lost && 'gone'],
        ['Links', `${up} of ${links.length} active${node.ports ? `, ${count(node.ports, 'port')}` : ''}`]
      ])),
    h('div', {class: 'row'}, h('button', {type: 'button', onclick: () => pathFrom(node)}, 'Path from here'),
      h('button', {type: 'button', onclick: () => pathTo(node)}, 'Path to here'),
      h('button', {type: 'button', onclick: () => show([node])}, 'Centre')),
    h('table', {},
      h('thead', {},
        h('tr', {},
          ['Port', 'Peer', 'State', 'Routes out'].map(
              (text) =>
                  h('th', {scope: 'col', class: text === 'Port' || text === 'Routes out' ? 'number' : null},
                    text)))),
      h('tbody', {}, rows))
  ];
}

const healthWords = (link) => ({
  down: 'down',
  starting: link.state,
  good: 'active',
  degraded: 'degraded',
  held: link.order,
  drained: 'drained'
})[healthOf(link)];

function ofLink(link, fabric, {select, show}) {
  const [a, b] = [fabric.nodes[link.a], fabric.nodes[link.b]];
  const end = (node, port) =>
      [h('button', {class: 'link', type: 'button', onclick: () => select({node})}, node.name || node.guid),
       ` port ${port}`];
  const routes = (flows) => (flows === null || flows === undefined ? 'not computed' : count(flows, 'route'));
  return [
    h('h2', {}, `Link ${shortName(a)}/${link.a_port} - ${shortName(b)}/${link.b_port}`),
    h('dl', {class: 'facts'}, facts([
        ['State', healthOf(link) === 'down' ? 'down or gone' : healthWords(link)],
        ['Ends', h('span', {}, ...end(a, link.a_port), h('br'), ...end(b, link.b_port))],
        [
          'Rate',
          link.width &&
              `${link.width} ${link.speed}, ${link.gbps} Gbit/s on the wire${
                  link.below_best ? ': below what both ends can do' : ''}`
        ],
        ['Order', link.order],
        [
          'Routes',
          h('span', {}, `${routes(link.flows_ab)} from ${shortName(a)}, `,
            `${routes(link.flows_ba)} from ${shortName(b)}`)
        ],
        ['Lanes', link.vls && String(link.vls)],
        ['More', h('code', {}, `weftctl explain port ${shortName(a)}/${link.a_port}`)]
      ])),
    h('div', {class: 'row'}, h('button', {type: 'button', onclick: () => show([a, b])}, 'Centre'))
  ];
}

/** Members of a partition by node GUID: 'full' or 'limited'. */
export function membersOf(fabric, partition) {
  const members = new Map();
  const names = new Map(fabric.nodes.map((node) => [node.name, node]));
  for (const {port, name, membership} of partition.list ?? []) {
    const node = names.get(name) ?? fabric.byGuid.get(port);
    if (node) members.set(node, membership === 'full' ? 'full' : members.get(node) ?? membership);
  }
  return members;
}

export const sortedPartitions = (list) => [...list].sort((a, b) => byName(a.name, b.name));
