import assert from 'node:assert/strict';
import {test} from 'node:test';

import {MODES, painter, themeOf} from '../../../web/src/colours.js';
import {litOf, lookOf} from '../../../web/src/look.js';
import {layoutOf} from '../../../web/src/layout.js';
import {fabricFrom} from '../../../web/src/model.js';
import {traced} from '../../../web/src/path.js';
import {tree} from '../support/fabrics.mjs';

const themes = [themeOf(false), themeOf(true)];

/** Relative luminance and contrast, WCAG 2.1. */
const luminance = (rgb) => rgb.map((value) => value / 255)
                               .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
                               .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) =>
    (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);

test('what is wrong stands out from the background, and text can be read', () => {
  for (const {rgb} of themes) {
    for (const name of ['down', 'path', 'held', 'drained', 'switch', 'member', 'choice'])
      assert.ok(contrast(rgb[name], rgb.background) >= 3, name);
    for (const name of ['text', 'faint']) assert.ok(contrast(rgb[name], rgb.background) >= 4.5, name);
  }
});

test('every mode paints every link and says what its colours mean', () => {
  const draft = tree();
  draft.answer.links[2][4] = 'init';
  const fabric = fabricFrom(draft.cut(0).answer);
  for (const theme of themes)
    for (const {id} of MODES) {
      const {paint, legend} = painter(id, fabric, theme);
      assert.ok(legend.length >= 2, id);
      for (const link of fabric.links) {
        const look = paint(link);
        assert.ok(
            [look.from, look.to].every(
                (colour) => colour.length === 3 && colour.every((v) => v >= 0 && v <= 255)),
            id);
        if (link.lost) assert.deepEqual(look.from, theme.rgb.down);
      }
    }
});

test('each half of a link shows the routes that leave by it', () => {
  const draft = tree();
  const fabric = (() => {
    draft.answer.links[0][8] = 100;
    draft.answer.links[0][9] = 1;
    return fabricFrom(draft.answer);
  })();
  const {paint} = painter('load', fabric, themeOf(true));
  const look = paint(fabric.links[0]);
  assert.ok(luminance(look.from) > luminance(look.to), 'light is much, in the dark');
  const light = painter('load', fabric, themeOf(false)).paint(fabric.links[0]);
  assert.ok(luminance(light.from) < luminance(light.to), 'dark is much, in the light');
});

test('the past shows what was away then, and not what is away now', () => {
  const fabric = fabricFrom(tree().cut(3).answer);
  const theme = themeOf(false);
  const state = {mode: 'state', theme, fabric, members: null, path: null};
  const lost = fabric.links.find((link) => link.lost);
  const now = lookOf({...state, away: null});
  assert.equal(now.links(lost).wrong, true);
  const then = lookOf({...state, away: {links: new Set([fabric.links[0]]), nodes: new Set()}});
  assert.equal(then.links(lost).wrong, false);
  assert.equal(then.links(fabric.links[0]).wrong, true);
});

test('members of a partition are lit, others faint', () => {
  const fabric = fabricFrom(tree().answer);
  const theme = themeOf(false);
  const hosts = fabric.nodes.filter((node) => node.type === 'hca');
  const members = new Map([[hosts[0], 'full'], [hosts[1], 'limited']]);
  const look = lookOf({mode: 'state', theme, fabric, away: null, members, path: null});
  assert.deepEqual(look.nodes(hosts[0]).colour, theme.rgb.member);
  assert.deepEqual(look.nodes(hosts[1]).colour, theme.rgb.limited);
  assert.deepEqual(look.nodes(hosts[2]).colour, theme.rgb.dim);
});

test('a path is lit link by link, with numbers at their middles', () => {
  const fabric = fabricFrom(tree().answer);
  const host = fabric.nodes.find((node) => node.name.startsWith('host-0-0-0'));
  const up = host.links[0];
  const end = (node, port) => ({guid: node.guid, name: node.name, type: node.type, port});
  const leaf = fabric.nodes[up.b];
  const path = traced(fabric, {
    from: {...end(host, 1), lid: host.lid},
    to: {...end(leaf, 0), lid: leaf.lid},
    hops:
        [{out: end(host, up.a_port), in : end(leaf, up.b_port), width: '4x', speed: 'HDR', state: 'active'}],
  });
  const {lit, decor} = litOf({path, selected: null, theme: themeOf(false), fabric, layout: layoutOf(fabric)});
  assert.deepEqual(lit.map((one) => one.link), [up]);
  assert.equal(decor.pins[0].text, '1');
  assert.deepEqual(path.nodes, [host, leaf]);
});
