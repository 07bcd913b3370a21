// The web view in Chromium without a GPU, on a tree of 432 hosts, a dragonfly of 1,056 and a Dragonfly+ of
// 10,368: how long until the fabric is drawn, frames a second while it is moved, how long until a cut cable
// is red, and until a path is lit. Chromium, weftd and weftsim share the cores of this machine.
//
//   WEFT_BIN=build/release/bin node bench/web.mjs [--check] [--shots DIR]
//
// --check fails where a limit is exceeded. Called by scripts/bench --web.

import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {parseArgs} from 'node:util';

import {browser, rest, shown, site} from '../tests/web/support/site.mjs';

const LIMITS = {
  'load ms': 2000,
  'frames/s': 30,
  'frames/s near': 30,
  'red ms': 1000
};
const ATLEAST = new Set(['frames/s', 'frames/s near']);
const FABRICS = [
  ['tree 432', 'fat-tree:radix=12,levels=3', 'L1-05-02[9]', ['h00000', 'h00431']],
  ['dragonfly 1,056', 'dragonfly:p=4,a=8,h=4', 'R-g003-02[9]', ['h00000', 'h01000']],
  [
    'dragonfly+ 10,368', 'dragonfly+:leaves=18,spines=18,hosts=18,globals=18,groups=32', 'DL-g003-02[20]',
    ['h00000', 'h10000']
  ],
];

const {values: options} = parseArgs({options: {check: {type: 'boolean'}, shots: {type: 'string'}}});
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

/** From the request of the page to the first picture of the fabric, by the browser's own clock. */
async function load(chromium, url) {
  const page = await chromium.open(url);
  await page.waitForFunction(() => window.weft?.view.drawn > 0);
  const took = await page.evaluate(() => performance.now());
  await page.context().close();
  return took;
}

/** Moves the map by a mouse that reports every 8 ms, there and back; frames of the map a second. */
async function pan(page, seconds = 4) {
  const box = await page.locator('#map').boundingBox();
  const centre = {x: box.x + box.width / 2, y: box.y + box.height / 2};
  await page.mouse.move(centre.x, centre.y);
  await page.mouse.down();
  const mouse = await page.context().newCDPSession(page);
  const now = () => page.evaluate(() => [weft.view.frames, performance.now()]);
  const start = await now();
  const end = Date.now() + seconds * 1000;
  for (let step = 0; Date.now() < end; ++step) {
    // So far that the picture has to be drawn anew on the way. Not awaited: a mouse does not wait either.
    const x = centre.x + 0.42 * box.width * Math.sin(step / 80);
    const y = centre.y + 0.4 * box.height * Math.sin(step / 110);
    mouse.send('Input.dispatchMouseEvent', {type: 'mouseMoved', x, y, button: 'left', buttons: 1});
    await new Promise((resolve) => setTimeout(resolve, 8));
  }
  const stop = await now();
  await page.mouse.up();
  return ((stop[0] - start[0]) * 1000) / (stop[1] - start[1]);
}

/**
 * From the command to the simulator until the page has drawn the link as lost; the command's own time
 * counts.
 */
async function red(page, place, cable) {
  const before = await page.evaluate(() => weft.app.fabric.links.filter((link) => link.lost).length);
  const start = Date.now();
  const drawn = page.waitForFunction(
      (count) => weft.app.fabric.links.filter((link) => link.lost).length > count && weft.view.shown, before,
      {polling: 'raf'});
  await place.sim(`cut ${cable}`);
  await drawn;
  const took = Date.now() - start;
  await place.sim(`mend ${cable}`);
  await page.waitForFunction(
      () => weft.app.fabric.links.every((link) => !link.lost && link.state === 'active'), null,
      {timeout: 60000});
  return took;
}

async function light(page, [from, to]) {
  await page.click('#tab-path');
  await page.fill('#path-from', from);
  await page.fill('#path-to', to);
  const start = Date.now();
  await page.press('#path-to', 'Enter');
  await page.waitForSelector('#path-found');
  return Date.now() - start;
}

async function shoot(page, name, scheme) {
  if (!options.shots) return;
  mkdirSync(options.shots, {recursive: true});
  await rest(page);
  await page.screenshot({path: join(options.shots, `${name.replace(/[ ,]+/g, '-')}-${scheme}.png`)});
}

let exceeded = 0;
const chromium = await browser();
try {
  for (const [name, fabric, cable, ends] of FABRICS) {
    const place = await site(fabric);
    try {
      const loads = [];
      for (let i = 0; i < 3; ++i) loads.push(await load(chromium, place.url));
      const page = await chromium.open(place.url);
      await shown(page);
      await shoot(page, name, 'light');
      const found = {'load ms': median(loads), 'frames/s': await pan(page)};
      await page.focus('#map');
      await page.keyboard.press('0');
      await rest(page);
      await page.evaluate(() => weft.view.zoomBy(6));
      await rest(page);
      found['frames/s near'] = await pan(page);
      await page.keyboard.press('0');
      await rest(page);
      found['red ms'] = median(
          [await red(page, place, cable), await red(page, place, cable), await red(page, place, cable)]);
      found['path ms'] = await light(page, ends);
      await shoot(page, `${name} path`, 'light');
      found['picture ms'] = await page.evaluate(() => weft.view.scene.cost);
      for (const [what, value] of Object.entries(found)) {
        const limit = LIMITS[what];
        const bad = limit !== undefined && (ATLEAST.has(what) ? value < limit : value > limit);
        if (bad) exceeded += 1;
        console.log(`${name.padEnd(18)} ${what.padEnd(14)} ${value.toFixed(0).padStart(6)}${
            limit === undefined ? '' : `   limit ${limit}${bad ? '  EXCEEDED' : ''}`}`);
      }
      for (const text of page.complaints) console.log(`${name}: the console says: ${text}`);
      exceeded += page.complaints.length;
      const dark = options.shots && await chromium.open(place.url, {colorScheme: 'dark'});
      if (dark) {
        await shown(dark);
        await shoot(dark, name, 'dark');
      }
    } finally {
      await place.stop();
    }
  }
} finally {
  await chromium.close();
}
if (options.check && exceeded > 0) process.exit(1);
