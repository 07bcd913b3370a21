import assert from 'node:assert/strict';
import {test} from 'node:test';

import {Camera} from '../../../web/src/camera.js';

const camera = () => Object.assign(new Camera(), {x: 3, y: -2, scale: 10, width: 800, height: 600});
const near = (a, b) =>
    assert.ok(Math.abs(a.x - b.x) < 1e-9 && Math.abs(a.y - b.y) < 1e-9, `${a.x} ${a.y}, ${b.x} ${b.y}`);

test('screen and world are each other\'s inverse', () => {
  const one = camera();
  near(one.toWorld(...Object.values(one.toScreen(7, 5))), {x: 7, y: 5});
});

test('what is under the pointer stays there while one zooms, within the range', () => {
  const one = camera();
  const before = one.toWorld(100, 500);
  one.zoom(2.5, 100, 500);
  assert.equal(one.scale, 25);
  near(one.toWorld(100, 500), before);
  one.zoom(1e9);
  assert.equal(one.scale, one.high);
});

test('a view shows its box whole, beside the margins', () => {
  const one = camera();
  Object.assign(
      one,
      one.viewOf({left: -50, right: 50, top: -10, bottom: 10}, {left: 110, right: 60, top: 64, bottom: 40}));
  const [low, high] = [one.toScreen(-50, -10), one.toScreen(50, 10)];
  assert.ok(
      low.x >= 110 - 1e-6 && high.x <= 800 - 60 + 1e-6 && low.y >= 64 - 1e-6 && high.y <= 600 - 40 + 1e-6);
});

test('a glide begins where one is and ends where one wants to be', () => {
  const one = camera();
  const to = {x: 40, y: 9, scale: 80};
  one.go(to, 400, 1000);
  one.step(1000);
  near(one, {x: 3, y: -2});
  one.step(1200);
  assert.ok(one.scale > 10 && one.scale < 80 && one.x > 3 && one.x < 40);
  one.step(1400);
  assert.equal(one.scale, 80);
  near(one, to);
  assert.equal(one.step(1500), false);
  one.go({x: 0, y: 0, scale: 1}, 0, 2000);
  near(one, {x: 0, y: 0});
});
