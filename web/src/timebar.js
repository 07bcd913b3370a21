// The time slider: a strip of events, a slider over it, steps from change to change, and back to now.

import {byId} from './dom.js';

const STEPS = 1000;
const TICK = {
  error: 'bad',
  warning: 'warn',
  info: 'accent'
};

export class TimeBar {
  /** @param changed(at): the moment to show; null for now */
  constructor(timeline, changed) {
    this.timeline = timeline;
    this.changed = changed;
    this.at = null;
    this.slider = byId('time');
    this.slider.max = String(STEPS);
    this.slider.addEventListener('input', () => this.toStep(Number(this.slider.value)));
    byId('live').addEventListener('click', () => this.go(null));
    byId('before').addEventListener('click', () => this.hop(-1));
    byId('after').addEventListener('click', () => this.hop(1));
    new ResizeObserver(() => this.draw()).observe(byId('track'));
    setInterval(() => this.draw(), 5000);
  }

  setFabric(fabric) {
    this.fabric = fabric;
    this.draw();
  }

  /** From the first event, or an hour ago where that is later than all, to now. */
  range() {
    const end = Date.now();
    const first = this.timeline.events[0]?.at ?? end - 3600e3;
    return {start: Math.min(first, end - 60e3) - 1000, end};
  }

  toStep(step) {
    const {start, end} = this.range();
    this.go(step >= STEPS ? null : start + ((end - start) * step) / STEPS);
  }

  go(at) {
    this.at = at;
    this.draw();
    this.changed(at);
  }

  /**
   * To the previous or next change of links; the moment just before a change is what one wants to see when
   * going back.
   */
  hop(direction) {
    const moments = this.timeline.moments(this.fabric);
    const here = this.at ?? Infinity;
    if (direction < 0) {
      const earlier = moments.filter((moment) => moment - 1 < here);
      if (earlier.length > 0) this.go(earlier[earlier.length - 1] - 1);
    } else {
      const later = moments.filter((moment) => moment > here);
      this.go(later.length > 0 ? later[0] : null);
    }
  }

  draw() {
    const {start, end} = this.range();
    const live = this.at === null;
    this.slider.value = String(live ? STEPS : Math.round(((this.at - start) / (end - start)) * STEPS));
    const words = live ? 'now' : new Date(this.at).toLocaleString('sv-SE');
    byId('moment').textContent = words;
    this.slider.setAttribute('aria-valuetext', words);
    byId('live').setAttribute('aria-pressed', String(live));
    this.ticks(start, end);
  }

  ticks(start, end) {
    const canvas = byId('ticks');
    const ratio = window.devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = canvas.clientHeight * ratio;
    const context = canvas.getContext('2d');
    const style = getComputedStyle(document.documentElement);
    const usable = canvas.width - 16 * ratio;
    for (const severity of ['info', 'warning', 'error']) {
      context.fillStyle = style.getPropertyValue(`--${TICK[severity]}`);
      const height = (severity === 'info' ? 0.45 : 1) * canvas.height;
      for (const event of this.timeline.events)
        if (event.severity === severity)
          context.fillRect(
              8 * ratio + ((event.at - start) / (end - start)) * usable, canvas.height - height,
              Math.max(1, 1.5 * ratio), height);
    }
  }
}
