// The view on a tree of 432 hosts.

import assert from 'node:assert/strict';
import {after, before, beforeEach, test} from 'node:test';

import {browser, colourAt, rest, shown, site, until} from '../support/site.mjs';

let place;
let chromium;
let page;

before(async () => {
  place = await site('fat-tree:radix=12,levels=3', {
    config: `partitions:
  define:
    blue: { key: 0x0010, members: [ { "h0000*": full }, { "h0001*": limited } ] }
qos:
  levels: { bulk: { sl: 2, weight: 3 }, fast: { sl: 1, weight: 1 } }
  default: fast`
  });
  chromium = await browser();
  page = await chromium.open(place.url);
  await shown(page);
});

after(async () => {
  await chromium?.close();
  await place?.stop();
});

beforeEach(async () => {
  await page.evaluate(() => {
    for (let i = 0; i < 5; ++i)
      document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}));
    document.activeElement.blur();
  });
  await page.keyboard.press('0');
  await rest(page);
});

const app = (expression) =>
    page.evaluate(`(() => { const { app, view, timeline } = weft; return (${expression}); })()`);
const selected = () => app('app.selected?.node?.name ?? null');
const press = async (key) => {
  await page.keyboard.press(key);
  await rest(page);
};

/** The middle of a link by its ends. */
const linkAt = (name, port) => page.evaluate(([wanted, number]) => {
  const {fabric, layout} = weft.app;
  const node = fabric.nodes.find((one) => one.name.startsWith(wanted));
  const link = node.links.find((one) => (one.a === node.index ? one.a_port : one.b_port) === number);
  const peer = fabric.nodes[link.a === node.index ? link.b : link.a];
  return {
    lost: link.lost,
    state: link.state,
    peer: peer.name,
    x: (layout.x[link.a] + layout.x[link.b]) / 2,
    y: (layout.y[link.a] + layout.y[link.b]) / 2
  };
}, [name, port]);
const isRed = ([r, g, b]) => r > 170 && g < 120 && b < 110;

test('shows the whole fabric in rows and says that it is well', async () => {
  assert.equal(await app('app.layout.kind'), 'rows');
  assert.deepEqual(
      await app(
          '[\'switch\', \'hca\'].map((type) => app.fabric.nodes.filter((node) => node.type === type).length)'),
      [180, 432]);
  assert.match(await page.textContent('#summary'), /180 switches, 432 hosts, 1,296 links; fat-tree routing/);
  assert.match(await page.textContent('#panel-health'), /Nothing is wrong/);
});

test('the page is locked up: its policy allows nothing from elsewhere', async () => {
  const response = await page.request.get(place.url);
  const policy = response.headers()['content-security-policy'];
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  assert.equal(response.headers()['x-content-type-options'], 'nosniff');
});

test('a path is the one that weftctl tells, lit and listed link by link', async () => {
  for (const [from, to] of [['h00000', 'h00431'], ['h00017', 'h00018'], ['h00100', 'h00333']]) {
    const told = JSON.parse(await place.weftctl('--json', 'path', from, to));
    await page.click('#tab-path');
    await page.fill('#path-from', from);
    await page.fill('#path-to', to);
    await page.press('#path-to', 'Enter');
    await page.waitForFunction(
        ([a, b]) => weft.app.path?.from.name.startsWith(a) && weft.app.path.to.name.startsWith(b),
        [from, to]);
    const ends = ({out, in : into}) => `${out.guid}/${out.port} ${into.guid}/${into.port}`;
    const drawn = await page.evaluate(
        () => weft.app.path.hops.map(({out, in : into, link}) => ({out, in : into, link: link.index})));
    assert.deepEqual(drawn.map(ends), told.hops.map(ends));
    assert.equal(new Set(drawn.map((hop) => hop.link)).size, told.hops.length);
    const items = await page.locator('#path-found ol li').allTextContents();
    assert.equal(items.length, told.hops.length);
    told.hops.forEach(
        (hop, i) => assert.ok(
            items[i].includes(`${hop.out.name.split(' ')[0]} port ${hop.out.port} → ${
                hop.in.name.split(' ')[0]} port ${hop.in.port}`),
            items[i]));
  }
});

test('a path to nobody is an error in words', async () => {
  await page.click('#tab-path');
  await page.fill('#path-from', 'h00000');
  await page.fill('#path-to', 'nobody');
  await page.press('#path-to', 'Enter');
  await page.waitForSelector('#panel-path .error');
  assert.match(await page.textContent('#panel-path .error'), /nobody/);
  page.complaints =
      page.complaints.filter((text) => !/404/.test(text));  // the browser's own line about the answer
});

test('a cable that is cut turns red, is told with what to do, and comes back', async () => {
  const before = await linkAt('L1-05-02', 9);
  assert.equal(before.lost, false);
  assert.ok(!isRed(await colourAt(page, before.x, before.y)));
  await place.sim('cut L1-05-02[9]');
  await page.waitForFunction(() => weft.app.fabric.links.some((link) => link.lost));
  assert.equal((await linkAt('L1-05-02', 9)).lost, true);
  await until(async () => {
    const row = [];
    for (const part of [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3])
      row.push(await colourAt(page, before.x, before.y + part));  // between its dashes
    return row.some(isRed);
  }, 'the link is red');
  await page.click('#tab-health');
  await page.waitForFunction(
      () => /L1-05-02.*is gone/.test(document.getElementById('panel-health').textContent));
  assert.match(await page.textContent('#panel-health'), /Check the cable.*weftctl accept/);
  assert.match(await page.textContent('#state'), /1 problem/);
  await page.click('#panel-health li button');
  assert.equal(await app('app.selected.link.lost'), true);

  const fresh = await chromium.open(place.url);  // one that never saw it whole
  await shown(fresh);
  assert.deepEqual(await fresh.evaluate(() => weft.app.fabric.links.filter((link) => link.lost).length), 1);
  await fresh.context().close();

  await place.sim('mend L1-05-02[9]');
  await page.waitForFunction(
      () => weft.app.fabric.links.every((link) => !link.lost && link.state === 'active'));
  await page.waitForFunction(
      () => /Nothing is wrong/.test(document.getElementById('panel-health').textContent));
});

test('the slider shows the fabric as it was', async () => {
  await page.waitForFunction(() => weft.timeline.moments(weft.app.fabric).length >= 2);
  await press('[');
  assert.match(await page.textContent('#past'), /1 link away/, 'just before it came back');
  await press('[');
  assert.match(await page.textContent('#past'), /no link away/, 'just before it was cut');
  await press(']');
  assert.match(await page.textContent('#past'), /1 link away/);
  const {x, y} = await linkAt('L1-05-02', 9);
  const row = [];
  for (const part of [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]) row.push(await colourAt(page, x, y + part));
  assert.ok(row.some(isRed));
  await page.click('#live');
  assert.equal(await page.isHidden('#past'), true);
  await page.fill('#time', '0');
  assert.match(await page.textContent('#past'), /as it was at/);
  await press('l');
  assert.equal(await app('app.at'), null);
});

test('an event leads to its place', async () => {
  await page.click('#tab-events');
  await page.locator('#panel-events li button', {hasText: 'is gone'}).first().click();
  assert.equal(await app('app.fabric.nodes[app.selected.link.a].name.split(\' \')[0]'), 'L1-05-02');
});

test('search finds by name, GUID and LID, by keyboard alone', async () => {
  const node = await app(
      '(({ name, guid, lid }) => ({ name, guid, lid }))(app.fabric.nodes.find((one) => one.name.startsWith(\'h00123\')))');
  for (const text of ['h00123', node.guid, node.guid.slice(-6), String(node.lid)]) {
    await page.keyboard.press('/');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'search-text');
    await page.keyboard.type(text);
    await page.waitForSelector('#search-list li');
    await page.keyboard.press('Enter');
    assert.equal(await selected(), node.name, text);
    await rest(page);
    const at = await app(
        '(({ x, y }) => [Math.abs(x - view.camera.width / 2), Math.abs(y - view.camera.height / 2)])(view.camera.toScreen(app.layout.x[app.selected.node.index], app.layout.y[app.selected.node.index]))');
    assert.ok(at.every((far) => far < 5), 'in the middle of the map');
    await press('Escape');
  }
});

test('a click selects, and a then b light the path between two hosts', async () => {
  const click = async (name) => {
    await page.evaluate((wanted) => {
      weft.view.duration = () => 0;
      weft.view.show([weft.app.fabric.nodes.find((one) => one.name.startsWith(wanted))]);
    }, name);
    await rest(page);
    const box = await page.locator('#map').boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  };
  await click('h00005');
  assert.match(await selected(), /^h00005/);
  await page.keyboard.press('a');
  await click('h00200');
  await page.keyboard.press('b');
  await page.waitForFunction(() => weft.app.path?.hops.length > 0);
  assert.match(await page.textContent('#path-found'), /from h00005 .* to h00200/);
});

test('keys move, zoom, select and clear', async () => {
  const where = () => app('({ x: view.camera.x, y: view.camera.y, scale: view.camera.scale })');
  await page.focus('#map');
  const start = await where();
  await press('ArrowRight');
  await press('ArrowDown');
  const moved = await where();
  assert.ok(moved.x > start.x && moved.y > start.y);
  await press('+');
  assert.ok((await where()).scale > start.scale);
  await press('-');
  await press('-');
  assert.ok((await where()).scale < start.scale);
  await press('0');
  assert.ok(Math.abs((await where()).x - start.x) < 0.1);
  await press('Enter');
  assert.notEqual(await selected(), null);
  await press('Escape');
  assert.equal(await selected(), null);
});

test('where drawing is slow the picture is carried along, and drawn anew at rest', async () => {
  const box = await page.locator('#map').boundingBox();
  const start = await app('({ x: view.camera.x, scale: view.camera.scale, drawn: view.drawn })');
  await page.evaluate(() => {
    weft.view.scene.measure = () => {};
    weft.view.scene.cost = 1000;
  });
  await page.mouse.move(box.x + 400, box.y + 700);
  await page.mouse.down();
  for (let step = 1; step <= 10; ++step) await page.mouse.move(box.x + 400 + step * 8, box.y + 700);
  await page.waitForFunction(
      () => /translate\(8[0-9.]*px, 0px\)/.test(document.getElementById('links').style.transform));
  assert.equal(
      await app(
          'document.getElementById(\'labels\').style.transform === document.getElementById(\'links\').style.transform'),
      true);
  await page.mouse.move(box.x + 900, box.y + 700);  // beyond what was drawn
  await page.mouse.up();
  await rest(page);
  const end = await app('({ x: view.camera.x, drawn: view.drawn })');
  assert.ok(Math.abs(start.x - end.x - 500 / start.scale) < 0.01);
  assert.ok(end.drawn > start.drawn);
  assert.equal(await app('document.getElementById(\'links\').style.transform'), '');
  await page.evaluate(() => {
    delete weft.view.scene.measure;
  });
});

test('everything is reached by Tab in an order that makes sense, and has a name', async () => {
  const fresh = await chromium.open(place.url);
  await shown(fresh);
  const seen = [];
  for (let i = 0; i < 10; ++i) {
    await fresh.keyboard.press('Tab');
    seen.push(await fresh.evaluate(
        () => document.activeElement.id || document.activeElement.dataset.mode ||
            document.activeElement.dataset.do || document.activeElement.className));
  }
  const order = ['skip', 'search-text', 'theme', 'help', 'map', 'state', 'in', 'out', 'fit', 'tab-health'];
  assert.deepEqual(seen, order);
  await fresh.context().close();
  const nameless = await page.evaluate(
      () => [...document.querySelectorAll('button, input:not([hidden]), select, [role="tab"], #map')]
                .filter(
                    (one) =>
                        !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length))
                .map((one) => one.outerHTML));
  assert.deepEqual(nameless, []);
});

test('modes colour links and say what the colours mean', async () => {
  for (const [key, mode, words] of [
           ['2', 'health', /held or disabled/], ['3', 'speed', /4x HDR/],
           ['4', 'load', /routes \(the most\)/], ['5', 'lanes', /data lane/],
           ['1', 'state', /down or gone/]]) {
    await page.keyboard.press(key);
    await page.waitForFunction((wanted) => weft.app.mode === wanted, mode);
    await until(async () => words.test(await page.textContent('#legend')), `legend of ${mode}`);
    assert.equal(await page.getAttribute(`#modes [data-mode="${mode}"]`, 'aria-checked'), 'true');
  }
});

test('route loads are those of the daemon', async () => {
  const answer = await place.api('/v1/fabric');
  const column = answer.links_are.indexOf('flows_ab');
  const sum = answer.links.reduce((total, row) => total + row[column], 0);
  assert.ok(sum > 0);
  await page.keyboard.press('4');
  await page.waitForFunction(
      () => weft.app.fabric.flowsRead === true && weft.app.fabric.links[0].flows_ab !== null);
  assert.equal(await app('app.fabric.links.reduce((total, link) => total + link.flows_ab, 0)'), sum);
});

test('a partition lights its members and no others', async () => {
  await page.click('#tab-overlays');
  await page.waitForSelector('#partition option[value="0x0010"]', {state: 'attached'});
  await page.selectOption('#partition', '0x0010');
  await page.waitForFunction(() => weft.app.members !== null);
  const told = (await place.api('/v1/partitions?members=1')).partitions.find((one) => one.key === '0x0010');
  const members =
      await app('Object.fromEntries([...app.members].map(([node, membership]) => [node.name, membership]))');
  assert.deepEqual(members, Object.fromEntries(told.list.map((one) => [one.name, one.membership])));
  assert.equal(Object.keys(members).length, 20);
  assert.match(await page.textContent('#legend'), /Partition blue.*full member.*limited member/);
  await press('Escape');
  assert.equal(await app('app.members'), null);
});

test('service levels are listed, and a path says its level and lanes', async () => {
  await page.click('#tab-overlays');
  await page.waitForSelector('#panel-overlays tbody tr');
  const rows = await page.locator('#panel-overlays tbody tr').allTextContents();
  assert.equal(rows.length, 2);
  assert.ok(rows.some((row) => /bulk/.test(row)) && rows.some((row) => /fast \(default\)/.test(row)));
  await page.click('#tab-path');
  await page.fill('#path-from', 'h00001');
  await page.fill('#path-to', 'h00400');
  await page.press('#path-to', 'Enter');
  await page.waitForSelector('#path-found');
  assert.match(await page.textContent('#path-found'), /Service level fast/);
  assert.match(await page.textContent('#path-found'), /VL \d/);
});

test('light and dark follow the system, and the switch', async () => {
  const dark = await chromium.open(place.url, {colorScheme: 'dark'});
  await shown(dark);
  const background = () =>
      dark.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
  assert.ok((await background()).every((value) => value < 60));
  await dark.click('#theme');
  assert.ok((await background()).every((value) => value > 200));
  await dark.reload();
  await shown(dark);
  assert.ok((await background()).every((value) => value > 200), 'kept');
  await dark.context().close();
});

test('nothing was complained of, and nobody else was asked', () => {
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(page.asked.filter((url) => !url.startsWith(place.url)), []);
  assert.ok(page.asked.length > 5);
});
