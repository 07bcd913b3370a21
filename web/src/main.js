// The page: reads the fabric, follows the events, and puts map, panels, time and keys together.

import {ApiError, follow, get, getAll, token} from './api.js';
import {issuesOf} from './advice.js';
import {MODES, themeOf} from './colours.js';
import {markMode, startButtons, startKeys, startModes, startTheme} from './controls.js';
import {byId, count, fill, h, lineSwatch} from './dom.js';
import {finder} from './finder.js';
import {layoutOf} from './layout.js';
import {ListView, hasWebGl} from './list.js';
import {litOf, lookOf} from './look.js';
import {fabricFrom, findLink, linkAtPort, linkEndsIn, nodeIn, shortName, takeFlows} from './model.js';
import {eventsPanel, healthPanel, membersOf, overlayPanel, pathPanel, selectedPanel, sortedPartitions,} from './panels.js';
import {askPath, traced} from './path.js';
import {tabs} from './tabs.js';
import {showTip} from './tip.js';
import {TimeBar} from './timebar.js';
import {Timeline, changeOf} from './timeline.js';
import {MapView} from './view.js';

const SETTLE = 700;  // ms after the last change until the fabric is read again
const STATUS_EVERY = 5000;

const timeline = new Timeline();
const app = {
  fabric: null,
  layout: null,
  status: null,
  theme: null,
  mode: 'state',
  at: null,
  selected: null,
  connected: false,
  ends: {from: '', to: ''},
  path: null,
  pathError: null,
  partitions: [],
  levels: [],
  partition: null,
  members: null,
  last: 0,
};

const places = {stage: byId('stage'), links: byId('links'), labels: byId('labels'), map: byId('map')};
const drawsMap = hasWebGl();
const view = drawsMap ?
    new MapView(places, {select, hover: (what, x, y) => showTip(app.fabric, what, x, y)}) :
    new ListView(places, {select});
const timeBar = new TimeBar(timeline, (at) => {
  app.at = at;
  repaint();
  drawEvents();
});
const find = finder(() => app.fabric, (node) => {
  select({node});
  view.show([node]);
  byId(drawsMap ? 'map' : 'list-table').focus();
});
const panels = {};
const panelTabs = makePanels();

// --- what is shown

function makePanels() {
  const list = [['health', 'Health'], ['path', 'Path'], ['events', 'Events'], ['overlays', 'Overlays']];
  return tabs(
      byId('tabs'), byId('panels'),
      list.map(([id, title]) => ({id, title, element: (panels[id] = h('section'))})), (id) => {
        if (id === 'overlays' && app.fabric) readPolicies();
      });
}

function repaint() {
  const {fabric} = app;
  if (!fabric) return;
  const away = app.at === null ? null : timeline.awayAt(fabric, app.at);
  const look = lookOf({...app, away});
  view.setPaint(look.links, look.nodes, away);
  const mode = MODES.find((one) => one.id === app.mode);
  const title = app.members ? `Partition ${app.partition.name}` : mode.title;
  fill(
      byId('legend'), h('strong', {}, title),
      h('ul', {}, look.legend.map((one) => h('li', {}, lineSwatch(one.colour, one.dashed), one.text))));
  const past = byId('past');
  past.hidden = !away;
  if (away)
    past.textContent = `as it was at ${new Date(app.at).toLocaleString('sv-SE')}: ${
        away.links.size === 0 ? 'no link away' : `${count(away.links.size, 'link')} away`}`;
  light();
}

/** The lit path and the selection. */
function light() {
  const {lit, nodes, paintOf, decor} = litOf(app);
  view.setLit(lit, nodes, paintOf, decor);
}

function drawHealth() {
  const {status, fabric} = app;
  if (!status || !fabric) return;
  const issues = issuesOf(status, fabric);
  healthPanel(panels.health, {issues, status, fabric, locate});
  panelTabs.count('health', issues.filter((issue) => issue.level !== 'info').length);
  const serious = issues.filter((issue) => issue.level !== 'info');
  const badge = byId('state');
  badge.textContent =
      status.state.replaceAll('_', ' ') + (serious.length > 0 ? `, ${count(serious.length, 'problem')}` : '');
  badge.className = `badge ${serious[0]?.level ?? (status.state === 'master' ? 'good' : 'warn')}`;
  const found = status.fabric;
  byId('summary').textContent = found ?
      `${count(found.switches, 'switch', 'switches')}, ${count(found.hosts, 'host')}, ${
          count(found.links, 'link')}; ${status.routing?.engine ?? 'no'} routing; weftd ${status.version}` :
      status.text;
}

const drawPath = () =>
    pathPanel(panels.path, {...app, error: app.pathError, ask: lightPath, clear: clearPath, locate});
const drawEvents = () => eventsPanel(
    panels.events, {events: timeline.events, until: app.at, connected: app.connected, go: goToEvent});
const drawOverlays = () => overlayPanel(panels.overlays, {
  partitions: app.partitions,
  levels: app.levels,
  chosen: app.partition,
  choose: choosePartition,
  vls: app.mode === 'lanes',
  showLanes: () => setMode(app.mode === 'lanes' ? 'state' : 'lanes'),
});
const drawSelected = () => selectedPanel(byId('selected'), {
  what: app.selected,
  fabric: app.fabric,
  close: () => select(null),
  select: (what) => {
    select(what);
    locate(what);
  },
  pathFrom: (node) => setEnd('from', node),
  pathTo: (node) => setEnd('to', node),
  show: (nodes) => view.show(nodes),
});

function say(text) { byId('said').textContent = text; }

// --- selecting, searching, paths

function select(what) {
  app.selected = what;
  if (what) readFlows();
  drawSelected();
  light();
  if (what?.node) say(`${what.node.name}, ${what.node.type}, LID ${what.node.lid}`);
  if (what?.link)
    say(`link ${shortName(app.fabric.nodes[what.link.a])} port ${what.link.a_port} to ${
        shortName(app.fabric.nodes[what.link.b])} port ${what.link.b_port}, ${what.link.state}`);
}

function locate(what) {
  select(what);
  view.show(what.node ? [what.node] : [app.fabric.nodes[what.link.a], app.fabric.nodes[what.link.b]]);
}

function setEnd(which, node) {
  app.ends = {...app.ends, [which]: shortName(node)};
  panelTabs.show('path');
  if (app.ends.from && app.ends.to)
    lightPath(app.ends.from, app.ends.to);
  else
    drawPath();
}

async function lightPath(from, to) {
  Object.assign(app, {ends: {from, to}, path: null, pathError: null, busy: true});
  drawPath();
  try {
    app.path = await askPath(app.fabric, from, to, await has());
    say(`path of ${count(app.path.hops.length, 'link')}`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    app.pathError = error;
    refused(error);
  }
  app.busy = false;
  drawPath();
  repaint();
  if (app.path) view.show(app.path.nodes);
}

function clearPath() {
  Object.assign(app, {path: null, pathError: null, ends: {from: '', to: ''}});
  drawPath();
  repaint();
}

/** What this daemon has to tell beside a path. */
async function has() {
  const plan = app.status?.plan;
  app.settings ??= (await guarded(get('/v1/config')))?.settings ?? null;
  const sets = app.settings?.find((one) => one.key === 'routing.port_sets');
  return {
    levels: (plan?.policies?.levels ?? 0) > 0,
    sets: sets !== undefined && sets.value !== 'off' &&
        !plan?.notes?.some((note) => note.startsWith('no port sets')),
  };
}

/** The same path by the tables that stand now; quietly. */
async function refreshPath() {
  if (!app.path) return;
  try {
    app.path = await askPath(app.fabric, app.ends.from, app.ends.to, await has());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    Object.assign(app, {path: null, pathError: error});
  }
  drawPath();
}

// --- overlays and modes

async function setMode(mode) {
  app.mode = mode;
  markMode(mode);
  if (mode === 'lanes') await readLanes();
  if (mode === 'load') readFlows();
  repaint();
  drawOverlays();
}

/**
 * Counting the routes takes the daemon a second on a large fabric, so they are asked for when somebody
 * looks.
 */
async function readFlows() {
  const {fabric} = app;
  if (!fabric || fabric.flowsRead) return;
  fabric.flowsRead = true;
  const answer = await guarded(get('/v1/fabric'));
  fabric.flowsRead = answer !== null && takeFlows(fabric, answer);
  if (!fabric.flowsRead || fabric !== app.fabric) return;
  drawSelected();
  if (app.mode === 'load') repaint();
}

/** How many lanes each link has: GET /v1/fabric does not tell. */
async function readLanes() {
  const {fabric} = app;
  if (!fabric || fabric.lanesRead) return;
  const links = await guarded(getAll('/v1/links', 'links'));
  for (const one of links ?? []) {
    const link = findLink(fabric, {a: one.a.guid, aPort: one.a.port, b: one.b.guid, bPort: one.b.port});
    if (link) link.vls = one.vls;
  }
  fabric.lanesRead = links !== null;
}

async function readPolicies() {
  const [partitions, levels] = await Promise.all(
      [guarded(getAll('/v1/partitions', 'partitions')), guarded(getAll('/v1/levels', 'levels'))]);
  Object.assign(app, {partitions: sortedPartitions(partitions ?? []), levels: levels ?? []});
  drawOverlays();
}

async function choosePartition(key) {
  if (key === '') {
    Object.assign(app, {partition: null, members: null});
  } else {
    const all = await guarded(getAll('/v1/partitions', 'partitions', {members: 1}));
    app.partition = all?.find((one) => one.key === key) ?? null;
    app.members = app.partition && membersOf(app.fabric, app.partition);
  }
  drawOverlays();
  repaint();
}

// --- reading

/** What it answers, or null when it failed; a refusal for want of a token opens the sign-in. */
async function guarded(promise) {
  try {
    return await promise;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refused(error);
    return null;
  }
}

function refused(error) {
  if (error.status !== 401) return;
  app.locked = true;
  const dialog = byId('sign-in');
  byId('sign-in-error').textContent = token.get() ? error.message : '';
  if (!dialog.open) dialog.showModal();
}

async function readStatus() {
  let status;
  try {
    status = await get('/v1/status');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refused(error);
    if (!app.fabric) veil(error.message, error.hint);
    return;
  }
  app.status = status;
  drawHealth();
  if (!app.fabric) veil(status.text || status.state);
}

/** Reads the fabric, unless it still is the one that is shown. */
async function readFabric() {
  clearTimeout(app.timer);
  if (app.reading) return void (app.again = true);
  app.reading = true;
  try {
    if (!app.fabric) await readStatus();
    if (app.fabric || app.status?.fabric) {
      const answer = await get('/v1/fabric', {unless: app.fabric?.generation, flows: 0});
      if (answer && answer.generation !== app.fabric?.generation) show(answer);
    } else if (!app.locked)
      app.timer = setTimeout(readFabric, 1000);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refused(error);
    if (!app.fabric) veil(error.message, error.hint);
    if (error.status !== 401) app.timer = setTimeout(readFabric, 2000);
  } finally {
    app.reading = false;
  }
  if (app.again) {
    app.again = false;
    later();
  }
}

function show(answer) {
  const fabric = fabricFrom(answer);
  const layout = layoutOf(fabric);
  const {selected, fabric: before} = app;
  Object.assign(app, {fabric, layout});
  view.setFabric(fabric, layout);
  timeBar.setFabric(fabric);
  if (app.partition) app.members = membersOf(fabric, app.partition);
  if (selected) app.selected = sameIn(fabric, selected, before);
  byId('veil').hidden = true;
  drawSelected();
  drawHealth();
  drawEvents();
  if (app.path) {
    app.path = {...app.path, ...traced(fabric, app.path.answer)};
    refreshPath().then(repaint);
  }
  repaint();
  if (app.mode === 'lanes') readLanes().then(repaint);
  if (app.mode === 'load' || app.selected) readFlows();
  performance.mark('weft-shown');
}

/** The selected thing in a newer fabric. */
function sameIn(fabric, {node, link}, before) {
  if (node) {
    const same = fabric.byGuid.get(node.guid);
    return same ? {node: same} : null;
  }
  const a = fabric.byGuid.get(before.nodes[link.a].guid);
  const same = a && linkAtPort(fabric, a, link.a_port);
  return same ? {link: same} : null;
}

function later() {
  clearTimeout(app.timer);
  app.timer = setTimeout(readFabric, SETTLE);
}

function veil(...texts) {
  const place = byId('veil');
  place.hidden = false;
  fill(place, h('p', {}, texts.filter(Boolean).flatMap((text) => [text, h('br')])));
}

// --- events as they come

function takeEvent(event) {
  const [fresh] = timeline.add([event]);
  if (!fresh) return;
  app.last = fresh.id;
  applyNow(fresh);
  drawEvents();
  timeBar.draw();
  if (fresh.severity !== 'info') say(fresh.text);
}

/** Shows a lost or new link at once; the fabric is read again a little later. */
function applyNow(event) {
  const change = app.fabric && changeOf(app.fabric, event);
  if (change) {
    const links = change.link ? [change.link] : change.node.links;
    for (const link of links)
      Object.assign(link, change.up ? {lost: false, state: 'init'} : {lost: true, state: 'down'});
    if (change.node) change.node.lost = !change.up;
    timeline.changes = null;
    repaint();
    drawSelected();
    performance.mark('weft-changed', {detail: event.id});
  }
}

function goToEvent(event) {
  const ends = linkEndsIn(event.text);
  const link = (ends && findLink(app.fabric, ends)) ||
      (event.node && event.port && app.fabric.byGuid.has(event.node) ?
           linkAtPort(app.fabric, app.fabric.byGuid.get(event.node), event.port) :
           undefined);
  const node = app.fabric.byGuid.get(event.node) ?? nodeIn(app.fabric, event.text);
  if (link)
    locate({link});
  else if (node)
    locate({node});
  else
    say('this event names no place on the map');
}

function takeView() {
  later();
  readStatus();
}

// --- theme, keys, start

function setTheme(dark) {
  app.theme = themeOf(dark);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  byId('theme').textContent = dark ? '☀' : '☾';
  view.setTheme(app.theme);
  repaint();
  timeBar.draw();
}

function escape() {
  if (app.selected) return select(null);
  if (app.path || app.pathError) return clearPath();
  if (app.partition) return void choosePartition('');
  if (app.at !== null) timeBar.go(null);
}

const KEYS = {
  '/': () => find.focus(),
  '+': () => view.zoomBy(1.35),
  '=': () => view.zoomBy(1.35),
  '-': () => view.zoomBy(1 / 1.35),
  0: () => view.fit(),
  '[': () => timeBar.hop(-1),
  ']': () => timeBar.hop(1),
  l: () => timeBar.go(null),
  a: () => app.selected?.node && setEnd('from', app.selected.node),
  b: () => app.selected?.node && setEnd('to', app.selected.node),
  '?': () => byId('keys').showModal(),
  Escape: escape,
  ...Object.fromEntries(MODES.map(({id}, i) => [i + 1, () => setMode(id)])),
};

function startSignIn() {
  byId('sign-in').addEventListener('close', () => {
    const secret = byId('token').value.trim();
    if (!secret) return;
    token.set(secret);
    app.locked = false;
    start();
  });
}

let following = false;
async function start() {
  const fabric = readFabric();
  const past = await guarded(get('/v1/events', {limit: 10000}));
  if (past) {
    timeline.add(past.events);
    app.last = past.events.at(-1)?.id ?? 0;
  }
  await fabric;
  drawEvents();
  timeBar.draw();
  if (past && !following) {
    following = true;
    follow(app.last, {event: takeEvent, view: takeView, gap: start}, (connected) => {
      app.connected = connected;
      drawEvents();
    }, () => refused(new ApiError(401, 'the token is not accepted')));
    setInterval(readStatus, STATUS_EVERY);
  }
}

startTheme(setTheme);
startModes(setMode);
setMode('state');
startKeys(KEYS, () => app.fabric !== null);
startButtons(view);
startSignIn();
drawPath();
drawOverlays();
start();
window.weft = {
  app,
  view,
  timeline
};  // for tests and the curious
