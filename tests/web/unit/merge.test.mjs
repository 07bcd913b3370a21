import assert from 'node:assert/strict';
import {test} from 'node:test';

import {layoutOf} from '../../../web/src/layout.js';
import {lookOf} from '../../../web/src/look.js';
import {themeOf} from '../../../web/src/colours.js';
import {mergedLinks} from '../../../web/src/merge.js';
import {fabricFrom} from '../../../web/src/model.js';
import {tree} from '../support/fabrics.mjs';

function drawn(draft, scale, more = {}) {
  const fabric = fabricFrom(draft.answer);
  const theme = themeOf(false);
  const look = lookOf({mode: 'state', theme, fabric, away: null, members: null, path: null, ...more});
  return {fabric, theme, list: mergedLinks(fabric, layoutOf(fabric), look.links, scale)};
}

test('from near every link is drawn, from afar many as one, none twice', () => {
  const near = drawn(tree(), 40);
  assert.equal(near.list.length, near.fabric.links.length);
  const far = drawn(tree(8, 6, 6), 1);
  assert.ok(far.list.length < far.fabric.links.length / 2);
  assert.ok(far.list.reduce((sum, one) => sum + one.count, 0) <= far.fabric.links.length);
});

test('a lost link is never merged away, and lies over the others', () => {
  const {list, theme} = drawn(tree(8, 6, 6).cut(20), 2);
  const red = list.filter((one) => one.from === theme.rgb.down);
  assert.equal(red.length, 2, 'the link and the glow under it');
  assert.equal(list.at(-1), red[1]);
  assert.equal(red[1].dashed, true);
});

test('many links are drawn fainter than few', () => {
  const alpha = (draft) => Math.min(...drawn(draft, 2).list.map((one) => one.alpha));
  assert.ok(alpha(tree(2, 40, 1)) < alpha(tree(2, 2, 2)));
});
