// The view in a browser without WebGL: lists in the map's place, and all else as with it.

import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {browser, site, until} from '../support/site.mjs';

let place;
let chromium;
let page;

const ready = (of) => of.waitForFunction(
    () => window.weft?.view.drawn > 0 && document.getElementById('veil').hidden, null, {timeout: 60000});
const rows = () => page.locator('#list-table tbody tr').allTextContents();
const said = () => page.textContent('#list [role="status"]');

before(async () => {
  place = await site('fat-tree:radix=12,levels=3');
  chromium = await browser(['--disable-3d-apis']);
  page = await chromium.open(place.url);
  await ready(page);
});

after(async () => {
  await chromium?.close();
  await place?.stop();
});

test('says that there is no map, and lists the switches of a fabric that is well', async () => {
  assert.equal(await page.evaluate(() => document.createElement('canvas').getContext('webgl2')), null);
  assert.match(await page.textContent('#no-webgl'), /WebGL 2/);
  assert.equal(await page.isVisible('#map'), false);
  assert.match(await said(), /Switches: 180/);
  assert.match(await page.textContent('#panel-health'), /Nothing is wrong/);
});

test('lists are chosen and searched by keyboard alone', async () => {
  await page.focus('#list-kind');
  await page.keyboard.press('h');
  assert.match(await said(), /the first 200 of 432/);
  await page.keyboard.press('Tab');
  await page.keyboard.type('h00123');
  await until(async () => (await rows()).length === 1, 'one row');
  await page.keyboard.press('Tab');  // the table, which scrolls
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.match(await page.textContent('#selected h2'), /^h00123/);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.match(await page.evaluate(() => document.activeElement.textContent), /^h00123/);
});

test('the search of the page leads to the row', async () => {
  await page.keyboard.press('/');
  await page.keyboard.type('h00200');
  await page.waitForSelector('#search-list li');
  await page.keyboard.press('Enter');
  assert.match(await page.textContent('#selected h2'), /^h00200/);
  assert.equal((await rows()).length, 1);
  assert.match((await rows())[0], /^h00200/);
});

test('a path is listed link by link', async () => {
  await page.click('#tab-path');
  await page.fill('#path-from', 'h00000');
  await page.fill('#path-to', 'h00431');
  await page.press('#path-to', 'Enter');
  await page.waitForSelector('#path-found');
  const told = JSON.parse(await place.weftctl('--json', 'path', 'h00000', 'h00431'));
  assert.equal((await page.locator('#path-found ol li').allTextContents()).length, told.hops.length);
  await page.fill('#list-text', 'h00000');
  await page.selectOption('#list-kind', 'links');
  assert.equal(await page.locator('#list-table tr.lit').count(), 1, 'its first link');
  await page.fill('#list-text', '');
});

test('a cable that is cut is in the list of what is wrong, and comes back', async () => {
  await page.selectOption('#list-kind', 'wrong');
  assert.match(await said(), /None/);
  await place.sim('cut L1-05-02[9]');
  await until(async () => (await rows()).some((row) => /L1-05-02\/9.*down or gone/.test(row)), 'the row');
  assert.match(await page.textContent('#state'), /1 problem/);
  await place.sim('mend L1-05-02[9]');
  await until(async () => /None/.test(await said()), 'mended');
});

test('light and dark', async () => {
  const colour = () => page.evaluate(
      () => getComputedStyle(document.getElementById('stage')).backgroundColor.match(/\d+/g).map(Number));
  assert.ok((await colour()).every((value) => value > 200));
  await page.click('#theme');
  assert.ok((await colour()).every((value) => value < 60));
  await page.click('#theme');
});

test('everything has a name, and nothing was complained of', async () => {
  const nameless = await page.evaluate(
      () => [...document.querySelectorAll('#list button, #list input, #list select, #list [tabindex]')]
                .filter(
                    (one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length))
                .map((one) => one.outerHTML));
  assert.deepEqual(nameless, []);
  assert.deepEqual(page.complaints, []);
});
