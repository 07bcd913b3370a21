// Where one looks: centre and scale (CSS pixels for a unit), moved at once or gliding.

export class Camera {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.scale = 1;
    this.width = 1;
    this.height = 1;
    this.low = 0.01;
    this.high = 400;
    this.glide = null;
  }

  toScreen(x, y) {
    return {x: (x - this.x) * this.scale + this.width / 2, y: (y - this.y) * this.scale + this.height / 2};
  }

  toWorld(x, y) {
    return {x: (x - this.width / 2) / this.scale + this.x, y: (y - this.height / 2) / this.scale + this.y};
  }

  pan(dx, dy) {
    this.glide = null;
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
  }

  /** Zooms so that what is at (x, y) on the screen stays there. */
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    this.glide = null;
    const fixed = this.toWorld(x, y);
    this.scale = Math.min(this.high, Math.max(this.low, this.scale * factor));
    const moved = this.toWorld(x, y);
    this.x += fixed.x - moved.x;
    this.y += fixed.y - moved.y;
  }

  /**
   * The view that shows a box whole. `margin`: CSS pixels left free at each side, {left, right, top,
   * bottom}.
   */
  viewOf(box, margin) {
    const room = {
      x: Math.max(50, this.width - margin.left - margin.right),
      y: Math.max(50, this.height - margin.top - margin.bottom),
    };
    const scale = Math.min(
        this.high, room.x / Math.max(box.right - box.left, 1e-6),
        room.y / Math.max(box.bottom - box.top, 1e-6));
    return {
      scale,
      x: (box.left + box.right) / 2 - (margin.left - margin.right) / 2 / scale,
      y: (box.top + box.bottom) / 2 - (margin.top - margin.bottom) / 2 / scale,
    };
  }

  /** Goes to a view within `duration` ms; at once for 0. */
  go(view, duration, now) {
    if (duration === 0) {
      Object.assign(this, view);
      this.glide = null;
    } else {
      this.glide = {from: {x: this.x, y: this.y, scale: this.scale}, to: view, start: now, duration};
    }
  }

  /** One step of a glide; false when there is none. */
  step(now) {
    if (!this.glide) return false;
    const {from, to, start, duration} = this.glide;
    const t = Math.min(1, Math.max(0, (now - start) / duration));
    const eased = t * t * (3 - 2 * t);
    this.scale = from.scale * (to.scale / from.scale) ** eased;
    // The place moves as the scale does, so that what is zoomed to does not wander.
    const part = Math.abs(to.scale / from.scale - 1) < 0.01 ?
        eased :
        (this.scale - from.scale) / (to.scale - from.scale) * (to.scale / this.scale);
    this.x = from.x + (to.x - from.x) * part;
    this.y = from.y + (to.y - from.y) * part;
    if (t === 1) this.glide = null;
    return true;
  }
}
