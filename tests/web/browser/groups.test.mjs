// The view on fabrics that are no tree, and behind a token.

import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {TOKEN, browser, rest, shown, site} from '../support/site.mjs';

let chromium;
before(async () => {
  chromium = await browser();
});
after(async () => {
  await chromium?.close();
});

/** Runs `body` on a page that looks at a fabric; nothing may be complained of. */
async function looking(fabric, options, body) {
  const place = await site(fabric, options);
  try {
    const page = await chromium.open(place.url);
    await body(page, place);
    assert.deepEqual(page.complaints.filter((text) => !options.closed || !/401/.test(text)), []);
    assert.deepEqual(page.asked.filter((url) => !url.startsWith(place.url)), []);
    await page.context().close();
  } finally {
    await place.stop();
  }
}

async function ask(page, from, to) {
  await page.click('#tab-path');
  await page.fill('#path-from', from);
  await page.fill('#path-to', to);
  await page.press('#path-to', 'Enter');
  await page.waitForSelector('#path-found');
  await rest(page);
}

for (const [name, fabric, groups] of [
         ['a dragonfly', 'dragonfly:p=2,a=4,h=2', 9],
         ['a Dragonfly+', 'dragonfly+:leaves=4,spines=4,hosts=3,globals=4,groups=9', 9],
]) {
  test(`${name} stands in groups on a circle, with the port sets of a path`, async () => {
    await looking(fabric, {config: 'routing: { port_sets: compact }'}, async (page, place) => {
      await shown(page);
      assert.equal(await page.evaluate(() => weft.app.layout.kind), 'groups');
      assert.equal(
          await page.evaluate(
              () => new Set(weft.app.fabric.nodes.filter((node) => node.type === 'switch')
                                .map((node) => node.group))
                        .size),
          groups);
      await ask(page, 'h00000', 'h00050');
      const told = JSON.parse(await place.weftctl('--json', 'path', 'h00000', 'h00050'));
      assert.deepEqual(
          await page.evaluate(() => weft.app.path.hops.map((hop) => `${hop.out.guid}/${hop.out.port}`)),
          told.hops.map((hop) => `${hop.out.guid}/${hop.out.port}`));
      const also =
          await page.evaluate(() => weft.app.path.hops.map((hop) => hop.also.map((one) => one.port)));
      for (const [i, hop] of told.hops.entries()) {
        if (also[i].length === 0) continue;
        const {sets} = await place.api(
            `/v1/port-sets?switch=${hop.out.guid}&leaf=${encodeURIComponent(told.hops.at(-1).out.name)}`);
        assert.ok(
            sets.some((set) => also[i].every((port) => set.ports.includes(port) || set.spare.includes(port))),
            `hop ${i + 1}`);
      }
      if (name === 'a Dragonfly+')
        assert.ok(also.some((ports) => ports.length > 0), 'a leaf has several spines');
    });
  });
}

test('a ring is laid out by its distances', async () => {
  await looking('ring:8', {}, async (page) => {
    await shown(page);
    assert.equal(await page.evaluate(() => weft.app.layout.kind), 'distances');
    assert.ok(await page.evaluate(() => [...weft.app.layout.x, ...weft.app.layout.y].every(Number.isFinite)));
  });
});

test('over the network the token is asked for, kept for the session and sent with everything', async () => {
  await looking('fat-tree:radix=4', {closed: true}, async (page, place) => {
    await page.waitForSelector('#sign-in[open]');
    await page.fill('#token', 'wrong-token-0123456789');
    await page.press('#token', 'Enter');
    await page.waitForFunction(
        () => document.getElementById('sign-in').open &&
            document.getElementById('sign-in-error').textContent !== '');
    await page.fill('#token', TOKEN);
    const bare = [];
    page.on('request', (request) => {
      if (request.url().includes('/v1/') && !request.headers().authorization) bare.push(request.url());
    });
    await page.press('#token', 'Enter');
    await shown(page);
    await page.waitForFunction(() => weft.app.connected);
    assert.deepEqual(bare, []);
    assert.equal(await page.evaluate(() => sessionStorage.getItem('weft-token')), TOKEN);
    assert.equal(await page.evaluate(() => Object.values(localStorage).join().includes('token-of')), false);
    assert.equal(page.asked.some((url) => url.includes(TOKEN)), false, 'never in an address');
    await place.sim('cut h00001');
    await page.waitForFunction(() => weft.app.fabric.nodes.some((node) => node.lost));
  });
});
