// The fabric as lists, where the browser has no WebGL 2 to draw the map by: nodes and links as rows to search
// in and to choose from. It takes the map's place, and what the page asks of a map goes to it: what is shown,
// selected, lit, or looked at.

import {count, fill, h} from './dom.js';
import {byName, healthOf, peerOf, portOf, search, shortName} from './model.js';

const MOST = 200;  // rows; whoever wants another one searches

/** Whether the map can be drawn. */
export function hasWebGl() {
  try {
    return document.createElement('canvas').getContext('webgl2') !== null;
  } catch {
    return false;
  }
}

const WORDS = {
  down: 'down or gone',
  starting: 'not active yet',
  good: 'active',
  degraded: 'below what both ends can do',
  held: 'held',
  drained: 'drained'
};
const ORDER = ['down', 'held', 'degraded', 'starting', 'drained', 'good'];

/** The state of a link at the moment that is shown. `away`: what was away then, null for now. */
export function stateOf(link, away) {
  const now = healthOf(link);
  if (!away) return now;
  if (away.links.has(link)) return 'down';
  return now === 'down' ? 'good' : now;
}

/** Whether a node is not there at that moment. */
export const isGone = (node, away) => (away ? away.nodes.has(node) : node.lost);

/** What a row is known by when the fabric has been read anew. */
export const keyOf = (fabric, {node, link}) => (node ? node.guid : `${fabric.nodes[link.a].guid}/${link.a_port}`);

const BETWEEN = ' - ';

/** The list and the search that show a node, or the links between two; null for more. */
export function placeOf(nodes) {
  if (nodes.length === 2) return {kind: 'links', text: nodes.map(shortName).join(BETWEEN)};
  if (nodes.length !== 1) return null;
  const [node] = nodes;
  return {kind: node.type === 'hca' ? 'hosts' : 'switches', text: shortName(node)};
}

/** Whether a link has an end that fits a text; of "this - that", an end that fits each. */
function linkFilter(fabric, text) {
  const found = text.split(BETWEEN).map((one) => new Set(search(fabric, one, Infinity)));
  const [some, other] = found.length === 2 ? found : [new Set(search(fabric, text, Infinity)), null];
  return (link) => {
    const [a, b] = [fabric.nodes[link.a], fabric.nodes[link.b]];
    if (!other) return some.has(a) || some.has(b);
    return (some.has(a) && other.has(b)) || (some.has(b) && other.has(a));
  };
}

/**
 * Rows of a list.
 * @param kind 'wrong', 'switches', 'hosts' or 'links'
 * @param text what is searched for; empty: all; "this - that": links between these
 * @returns {rows: [{node} | {link}], all: how many there are}
 */
export function rowsOf(fabric, kind, text, away = null) {
  const found = text.trim() ? new Set(search(fabric, text, Infinity)) : null;
  const wanted = (node) => !found || found.has(node);
  const wantedLink = found ? linkFilter(fabric, text) : () => true;
  let rows;
  if (kind === 'links' || kind === 'wrong') {
    rows = fabric.links
               .filter(
                   (link) => wantedLink(link) && (kind === 'links' || stateOf(link, away) !== 'good'))
               .map((link) => ({link, rank: ORDER.indexOf(stateOf(link, away))}))
               .sort((a, b) => a.rank - b.rank || a.link.index - b.link.index);
    if (kind === 'wrong') {
      const gone = fabric.nodes.filter((node) => isGone(node, away) && wanted(node));
      rows = [...gone.map((node) => ({node})), ...rows];
    }
  } else {
    const hosts = kind === 'hosts';
    rows = [...(found ?? fabric.nodes)].filter((node) => (node.type === 'hca') === hosts);
    // What fits a search best stands first.
    if (!found) rows.sort((a, b) => byName(a.name, b.name));
    rows = rows.map((node) => ({node}));
  }
  return {rows: rows.slice(0, MOST), all: rows.length};
}

const KINDS = [['wrong', 'Not as it should be'], ['switches', 'Switches'], ['hosts', 'Hosts'], ['links', 'Links']];

export class ListView {
  /** @param select called with {node} or {link} */
  constructor({stage}, {select}) {
    this.select = select;
    this.away = null;
    this.drawn = 0;  // as of a map: how often it has shown a fabric
    this.lit = new Set();
    this.frame = null;  // in which it will be drawn
    this.anew = false;  // with a fabric that has not been shown yet
    stage.classList.add('listed');
    fill(document.querySelector('.skip'), 'To the lists');
    document.querySelector('.skip').href = '#list-table';
    this.kind = h('select', {id: 'list-kind', onchange: () => this.draw()},
                  KINDS.map(([id, title]) => h('option', {value: id}, title)));
    this.text = h('input', {
      id: 'list-text',
      type: 'text',
      autocomplete: 'off',
      spellcheck: 'false',
      placeholder: 'name, GUID or LID',
      oninput: () => this.draw()
    });
    this.said = h('p', {class: 'quiet', role: 'status'});
    this.table = h('div', {id: 'list-table', tabindex: 0, role: 'region', 'aria-label': 'Rows'});
    stage.append(h(
        'section', {id: 'list', 'aria-label': 'The fabric as lists'},
        h('p', {class: 'verdict warn', id: 'no-webgl'}, h('strong', {}, 'No map in this browser'),
          'It is drawn by WebGL 2, which this browser has not, or not now. Lists, search, health, path, events, partitions and time work without. For the map: another browser, or hardware acceleration in this one\'s settings.'),
        h('div', {class: 'row'}, h('label', {for: 'list-kind'}, 'Show'), this.kind,
          h('label', {for: 'list-text'}, 'that are called'), this.text),
        this.said, this.table));
  }

  // --- what is asked of a map

  setFabric(fabric) {
    const first = !this.fabric;
    this.fabric = fabric;
    if (first && rowsOf(fabric, 'wrong', '').all === 0) this.kind.value = 'switches';
    this.anew = true;
    this.drawSoon();
  }
  setTheme() {}
  setPaint(links, nodes, away) {
    this.away = away;
    this.drawSoon();
  }
  setLit(links, nodes) {
    this.lit = new Set([...links.map((one) => one.link), ...nodes]);
    this.drawSoon();
  }
  fit() {}
  zoomBy() {}
  /** The rows of a place: a node, or the links between two. */
  show(nodes) {
    const place = placeOf(nodes);
    if (!place) return;
    this.kind.value = place.kind;
    this.text.value = place.text;
    this.draw();
  }

  // --- drawing

  /** Once a frame, however much the page tells in it. */
  drawSoon() {
    this.frame ??= requestAnimationFrame(() => this.draw());
  }

  draw() {
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
    const {fabric} = this;
    if (!fabric) return;
    const focused = this.table.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const {rows, all} = rowsOf(fabric, this.kind.value, this.text.value, this.away);
    const title = KINDS.find(([id]) => id === this.kind.value)[1];
    this.said.textContent = all === 0 ? 'None.' :
        all > rows.length         ? `${title}: the first ${rows.length} of ${all.toLocaleString('en')}` :
                                    `${title}: ${all.toLocaleString('en')}`;
    const links = this.kind.value === 'links' || this.kind.value === 'wrong';
    const columns = links ? ['What', 'State', 'Rate'] : ['Name', 'LID', 'GUID', 'Links', 'Peers'];
    fill(this.table,
         h('table', {}, h('thead', {}, h('tr', {}, columns.map((text) => h('th', {scope: 'col'}, text)))),
           h('tbody', {}, rows.map((row) => (links ? this.linkRow(row) : this.nodeRow(row.node))))));
    // The row that had the focus is another element now.
    if (focused)
      [...this.table.querySelectorAll('button')]
          .find((one) => one.dataset.key === focused)
          ?.focus({preventScroll: true});
    if (this.anew) this.drawn += 1;
    this.anew = false;
  }

  button(what, text) {
    const key = keyOf(this.fabric, what);
    return h('button', {class: 'link', type: 'button', 'data-key': key, onclick: () => this.select(what)}, text);
  }

  attributes(what) { return {class: this.lit.has(what) ? 'lit' : null}; }

  linkRow({node, link}) {
    if (node)
      return h('tr', this.attributes(node), h('td', {}, this.button({node}, node.name || node.guid)),
               h('td', {}, 'gone'), h('td', {}));
    const {nodes} = this.fabric;
    const ends = `${shortName(nodes[link.a])}/${link.a_port} - ${shortName(nodes[link.b])}/${link.b_port}`;
    const state = stateOf(link, this.away);
    return h('tr', this.attributes(link), h('td', {}, this.button({link}, ends)), h('td', {}, WORDS[state]),
             h('td', {}, link.width ? `${link.width} ${link.speed}` : ''));
  }

  nodeRow(node) {
    const {fabric} = this;
    const active = node.links.filter((link) => stateOf(link, this.away) !== 'down').length;
    const links = [...node.links].sort((a, b) => portOf(node, a) - portOf(node, b));
    const peers = links.slice(0, 4).map((link) => shortName(peerOf(fabric, node, link)));
    return h('tr', this.attributes(node), h('td', {}, this.button({node}, node.name || node.guid)),
             h('td', {class: 'number'}, node.lid ? String(node.lid) : ''), h('td', {class: 'mono'}, node.guid),
             h('td', {}, isGone(node, this.away) ? 'gone' : `${active} of ${count(links.length, 'link')}`),
             h('td', {}, peers.join(', ') + (links.length > 4 ? ', …' : '')));
  }
}
