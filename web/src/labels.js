// Names on the map: rows and groups always, switches and hosts where there is room for them, by a canvas over
// the map.

import {shortName} from './model.js';

const MOST = {
  resting: 160,
  moving: 60
};

export class Labels {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
  }

  resize(width, height, ratio) {
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.ratio = ratio;
  }

  setFabric(fabric, layout) {
    this.fabric = fabric;
    this.layout = layout;
    const weight = { switch: 0, router: 0, hca: 1 };
    this.order = [...fabric.nodes].sort(
        (a, b) => weight[a.type] - weight[b.type] || layout.size[b.index] - layout.size[a.index] ||
            a.index - b.index);
  }

  /**
   * @param marked [{node, text, colour}]: always written; pins: [{x, y, size, text, colour}], in units:
   * numbers at the middles of links of that size
   */
  draw(camera, theme, {marked = [], pins = [], moving = false}) {
    const {context} = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    if (!this.fabric) return;
    context.lineJoin = 'round';
    context.lineWidth = 3.5;
    context.strokeStyle = theme.hex.halo;
    const taken = [];
    for (const one of marked) this.mark(camera, theme, one, taken);
    for (const pin of pins) this.pin(camera, theme, pin, taken);
    for (const label of this.layout.labels) this.place(camera, theme, label, taken);
    this.names(camera, theme, taken, moving ? MOST.moving : MOST.resting);
  }

  /** Writes where nothing is written yet; false where there is no room. */
  write(text, x, y, colour, taken, forced = false) {
    const {context} = this;
    const width = context.measureText(text).width;
    const left = context.textAlign === 'center' ? x - width / 2 :
        context.textAlign === 'right'           ? x - width :
                                                  x;
    const box = [left - 3, y - 8, left + width + 3, y + 8];
    if (!forced &&
        taken.some(
            (other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]))
      return false;
    taken.push(box);
    context.strokeText(text, x, y);
    context.fillStyle = colour;
    context.fillText(text, x, y);
    return true;
  }

  style(size, weight, align) {
    this.context.font = `${weight} ${size}px system-ui, "Noto Sans", "DejaVu Sans", sans-serif`;
    this.context.textAlign = align;
    this.context.textBaseline = 'middle';
  }

  mark(camera, theme, {node, text, colour}, taken) {
    const at = camera.toScreen(this.layout.x[node.index], this.layout.y[node.index]);
    const radius = Math.min(72, Math.max(9, this.layout.size[node.index] * camera.scale)) / 2;
    taken.push([at.x - radius, at.y - radius, at.x + radius, at.y + radius]);
    this.style(12.5, 600, 'center');
    const y = at.y - radius - 12;
    if (!this.write(text ?? shortName(node), at.x, y, colour ?? theme.hex.text, taken))
      this.write(text ?? shortName(node), at.x, at.y + radius + 12, colour ?? theme.hex.text, taken);
  }

  pin(camera, theme, {x, y, size, text, colour}, taken) {
    if (size * camera.scale < 46) return;
    const at = camera.toScreen(x, y);
    const {context} = this;
    context.beginPath();
    context.arc(at.x, at.y, 9, 0, 2 * Math.PI);
    context.fillStyle = theme.hex.background;
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = colour;
    context.stroke();
    this.style(11, 600, 'center');
    context.fillStyle = colour;
    context.fillText(text, at.x, at.y + 0.5);
    context.lineWidth = 3.5;
    context.strokeStyle = theme.hex.halo;
    taken.push([at.x - 9, at.y - 9, at.x + 9, at.y + 9]);
  }

  place(camera, theme, {x, y, text, span, align, out}, taken) {
    const at = camera.toScreen(x, y);
    this.style(12, 600, align);
    // Around a circle the text stands beside the circle, not on it.
    if (out) at.x += out.x * this.context.measureText(text).width * 0.42;
    if (out && span * camera.scale < 18) return;
    this.write(text, at.x, at.y, theme.hex.faint, taken);
  }

  names(camera, theme, taken, most) {
    let written = 0;
    let tried = 0;
    for (const node of this.order) {
      const size = this.layout.size[node.index] * camera.scale;
      if (size < (node.type === 'hca' ? 15 : this.layout.kind === 'rows' ? 10 : 16)) {
        if (node.type === 'hca') break;
        continue;
      }
      const at = camera.toScreen(this.layout.x[node.index], this.layout.y[node.index]);
      if (at.x < -20 || at.y < -20 || at.x > camera.width + 20 || at.y > camera.height + 20) continue;
      if (++tried > most * 3) return;
      const radius = Math.min(72, size) / 2;
      this.style(node.type === 'hca' ? 11 : 12, 400, 'center');
      const below = at.y + radius + 9;
      if (this.write(
              shortName(node), at.x, node.type === 'hca' ? below : at.y - radius - 9, theme.hex.text,
              taken) &&
          ++written >= most)
        return;
    }
  }
}
