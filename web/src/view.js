// The map: camera, pointer and keys, what is under the pointer, and when to draw. The picture is larger than
// the stage; where drawing takes long (no GPU), what is drawn is carried along while one moves, as maps do,
// and drawn anew when the stage would look beyond its edge, when the zoom has gone far from it, and when the
// movement rests.

import {Camera} from './camera.js';
import {Labels} from './labels.js';
import {Scene} from './scene.js';

const MARGIN = {
  left: 40,
  right: 60,
  top: 64,
  bottom: 40
};
const REST = 140;      // ms without movement until the picture is drawn for where one is
const APRON = 0.3;    // of the stage's size, drawn beyond each edge
const SLOW = 12;       // ms of drawing above which the picture is carried along
const FARTHEST = 1.7;  // the zoom of what is carried along

export class MapView {
  /** @param handlers {select({node} | {link} | null), hover(what, x, y)} */
  constructor({stage, links, labels, map}, handlers) {
    this.stage = stage;
    this.map = map;
    this.pictures = [links, labels];
    this.handlers = handlers;
    this.camera = new Camera();
    this.scene = new Scene(links);
    this.labels = new Labels(labels);
    this.decor = {marked: [], pins: []};
    this.drawn = 0;   // pictures
    this.frames = 0;  // these, and those carried along
    this.shown = null;
    this.moved = -Infinity;
    new ResizeObserver(() => this.resize()).observe(stage);
    this.listen();
  }

  // --- what is shown

  setFabric(fabric, layout) {
    const first = !this.fabric;
    this.fabric = fabric;
    this.layout = layout;
    this.scene.setFabric(fabric, layout);
    this.labels.setFabric(fabric, layout);
    if (first) this.resize();
    this.setRange();
    if (first) this.fit(0);
    this.redraw();
  }

  setTheme(theme) {
    this.theme = theme;
    this.scene.setTheme(theme);
    this.redraw();
  }

  setPaint(links, nodes) {
    this.scene.setPaint(links, nodes);
    this.redraw();
  }

  setLit(links, nodes, paintOf, decor) {
    this.scene.setPath(links, nodes, paintOf);
    this.decor = decor;
    this.redraw();
  }

  // --- where one looks

  resize() {
    const {clientWidth: width, clientHeight: height} = this.stage;
    if (width === 0 || height === 0) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    Object.assign(this.camera, {width, height});
    const apron = {x: Math.round(width * APRON), y: Math.round(height * APRON)};
    this.wide = {width: width + 2 * apron.x, height: height + 2 * apron.y};
    for (const {style} of this.pictures)
      Object.assign(style, {
        left: `${- apron.x}px`,
        top: `${- apron.y}px`,
        width: `${this.wide.width}px`,
        height: `${this.wide.height}px`
      });
    this.scene.resize(this.wide.width, this.wide.height, ratio);
    this.labels.resize(this.wide.width, this.wide.height, ratio);
    this.setRange();
    this.redraw();
  }

  box(nodes) {
    const box = {left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity};
    const take = (x, y, reach) => {
      box.left = Math.min(box.left, x - reach);
      box.right = Math.max(box.right, x + reach);
      box.top = Math.min(box.top, y - reach);
      box.bottom = Math.max(box.bottom, y + reach);
    };
    for (const node of nodes)
      take(this.layout.x[node.index], this.layout.y[node.index], this.layout.size[node.index] / 2);
    return box;
  }

  setRange() {
    if (!this.fabric) return;
    const all = this.camera.viewOf(this.box(this.fabric.nodes), MARGIN);
    this.camera.low = all.scale / 4;
    this.camera.high = Math.max(160, all.scale * 4);
  }

  fit(duration = this.duration()) {
    const margin = {...MARGIN};
    if (this.layout.kind === 'rows') Object.assign(margin, {left: 110, bottom: 120});
    this.camera.go(this.camera.viewOf(this.box(this.fabric.nodes), margin), duration, performance.now());
    this.ask();
  }

  /** Shows these nodes with room around them, no closer than is good for a name to be read. */
  show(nodes) {
    const wide = 130;
    const view = this.camera.viewOf(this.box(nodes), {left: wide, right: wide, top: 120, bottom: 120});
    view.scale = Math.max(this.camera.low, Math.min(view.scale, 55));
    const box = this.box(nodes);
    view.x = (box.left + box.right) / 2;
    view.y = (box.top + box.bottom) / 2;
    this.camera.go(view, this.duration(), performance.now());
    this.ask();
  }

  duration() { return window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 450; }

  zoomBy(factor) {
    this.camera.zoom(factor);
    this.touch();
  }

  // --- drawing

  touch() {
    this.moved = performance.now();
    this.ask();
  }

  ask() { this.asked ||= requestAnimationFrame((now) => this.frame(now)); }

  /** What is drawn is not true any more. */
  redraw() {
    this.shown = null;
    this.ask();
  }

  frame(now) {
    this.asked = 0;
    const gliding = this.camera.step(now);
    if (gliding) this.moved = now;
    const moving = now - this.moved < REST;
    if (!this.theme || !this.fabric || !this.wide) return;
    if (this.shown && moving && this.scene.cost > SLOW && this.canCarry())
      this.carry();
    else if (!this.sameView())
      this.paint(moving);
    clearTimeout(this.rest);
    if (gliding)
      this.ask();
    else if (moving)
      this.rest = setTimeout(() => this.ask(), REST);
  }

  sameView() {
    const {shown, camera} = this;
    return shown && shown.x === camera.x && shown.y === camera.y && shown.scale === camera.scale &&
        !shown.moving;
  }

  canCarry() {
    const {shown, camera} = this;
    const zoom = camera.scale / shown.scale;
    if (zoom > FARTHEST || zoom < 1 / FARTHEST) return false;
    const reach = (size, wide, way) => Math.abs(way) * camera.scale <= (wide * zoom - size) / 2;
    return zoom > 1.02 || zoom < 0.98 ||
        (reach(camera.width, this.wide.width, camera.x - shown.x) &&
         reach(camera.height, this.wide.height, camera.y - shown.y));
  }

  carry() {
    this.frames += 1;
    const {shown, camera} = this;
    const way = [(shown.x - camera.x) * camera.scale, (shown.y - camera.y) * camera.scale];
    for (const {style} of this.pictures)
      style.transform = `translate(${way[0]}px, ${way[1]}px) scale(${camera.scale / shown.scale})`;
  }

  paint(moving) {
    const {camera} = this;
    const wide = Object.assign(Object.create(Camera.prototype), camera, this.wide);
    this.scene.draw(wide);
    this.labels.draw(wide, this.theme, {
      ...this.decor,
      moving,
    });
    for (const {style} of this.pictures) style.transform = '';
    this.shown = {x: camera.x, y: camera.y, scale: camera.scale, moving};
    this.drawn += 1;
    this.frames += 1;
  }

  // --- what is where

  nodeAt(x, y) {
    const at = this.camera.toWorld(x, y);
    const slack = 4 / this.camera.scale;
    let best;
    let nearest = Infinity;
    for (const node of this.fabric.nodes) {
      const dx = this.layout.x[node.index] - at.x;
      const dy = this.layout.y[node.index] - at.y;
      const radius = Math.max(this.layout.size[node.index] / 2, 2 / this.camera.scale) + slack;
      const distance = Math.hypot(dx, dy);
      if (distance <= radius && distance < nearest) {
        nearest = distance;
        best = node;
      }
    }
    return best;
  }

  linkAt(x, y) {
    const at = this.camera.toWorld(x, y);
    const reach = 5 / this.camera.scale;
    const {x: xs, y: ys} = this.layout;
    let best;
    let nearest = reach;
    for (const link of this.fabric.links) {
      const ax = xs[link.a];
      const ay = ys[link.a];
      const dx = xs[link.b] - ax;
      const dy = ys[link.b] - ay;
      const t = Math.max(0, Math.min(1, ((at.x - ax) * dx + (at.y - ay) * dy) / (dx * dx + dy * dy || 1)));
      const distance = Math.hypot(ax + t * dx - at.x, ay + t * dy - at.y);
      if (distance < nearest || (distance <= reach && link.state !== 'active' && best?.state === 'active')) {
        nearest = Math.min(nearest, distance);
        best = link;
      }
    }
    return best;
  }

  under(x, y) {
    if (!this.fabric) return null;
    const node = this.nodeAt(x, y);
    if (node) return {node};
    const link = this.linkAt(x, y);
    return link ? {link} : null;
  }

  // --- pointer and keys

  listen() {
    const {map} = this;
    const held = new Map();
    let travelled = 0;
    map.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      map.setPointerCapture(event.pointerId);
      held.set(event.pointerId, {x: event.offsetX, y: event.offsetY});
      travelled = 0;
    });
    map.addEventListener('pointermove', (event) => {
      const before = held.get(event.pointerId);
      if (!before) return this.hover(event);
      const now = {x: event.offsetX, y: event.offsetY};
      travelled += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      if (held.size === 2) {
        const other = [...held].find(([id]) => id !== event.pointerId)[1];
        const factor = Math.hypot(now.x - other.x, now.y - other.y) /
            Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
        this.camera.zoom(factor, (now.x + other.x) / 2, (now.y + other.y) / 2);
      } else if (travelled > 3) {
        map.classList.add('dragging');
        this.handlers.hover(null);
        this.camera.pan(now.x - before.x, now.y - before.y);
      }
      held.set(event.pointerId, now);
      if (travelled > 3) this.touch();
    });
    const release = (event) => {
      if (!held.delete(event.pointerId)) return;
      map.classList.remove('dragging');
      if (event.type === 'pointerup' && travelled <= 3)
        this.handlers.select(this.under(event.offsetX, event.offsetY));
    };
    map.addEventListener('pointerup', release);
    map.addEventListener('pointercancel', release);
    map.addEventListener('pointerleave', () => this.handlers.hover(null));
    map.addEventListener('dblclick', (event) => {
      this.camera.zoom(2, event.offsetX, event.offsetY);
      this.touch();
    });
    map.addEventListener('wheel', (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 33 : 1;
      this.camera.zoom(
          Math.exp(-Math.max(-240, Math.min(240, event.deltaY * lines)) * 0.0022), event.offsetX,
          event.offsetY);
      this.touch();
    }, {passive: false});
    map.addEventListener('keydown', (event) => this.key(event));
  }

  hover(event) {
    if (this.pending || !this.fabric) return;
    const {offsetX: x, offsetY: y} = event;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      const what = this.under(x, y);
      this.map.classList.toggle('over', what !== null);
      this.handlers.hover(what, x, y);
    });
  }

  key(event) {
    const step = event.shiftKey ? 260 : 70;
    const moves = {ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step]};
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (moves[event.key])
      this.camera.pan(...moves[event.key]);
    else if (event.key === 'Enter')
      return this.selectNearest();
    else
      return;
    event.preventDefault();
    this.touch();
  }

  /** What is nearest to the middle, for those who have no pointer. */
  selectNearest() {
    let best = null;
    let nearest = Infinity;
    for (const node of this.fabric.nodes) {
      const distance =
          Math.hypot(this.layout.x[node.index] - this.camera.x, this.layout.y[node.index] - this.camera.y);
      if (distance < nearest) {
        nearest = distance;
        best = node;
      }
    }
    if (best) this.handlers.select({node: best});
  }
}
