// The switch between light and dark, the choice of colours, the keys, and the buttons beside the map.

import {MODES} from './colours.js';
import {byId, h} from './dom.js';

const KEPT = 'weft-theme';

/** Calls set(dark) now and at every change: of the system, unless the switch was used. */
export function startTheme(set) {
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const kept = localStorage.getItem(KEPT);
  let dark = kept ? kept === 'dark' : system.matches;
  const change = (to) => {
    dark = to;
    set(dark);
  };
  change(dark);
  system.addEventListener('change', (event) => {
    if (!localStorage.getItem(KEPT)) change(event.matches);
  });
  byId('theme').addEventListener('click', () => {
    localStorage.setItem(KEPT, dark ? 'light' : 'dark');
    change(!dark);
  });
}

/** One button a mode; set(mode) is called with what is chosen. */
export function startModes(set) {
  MODES.forEach(({id, title}, i) => {
    const button =
        h('button',
          {type: 'button', role: 'radio', 'data-mode': id, title: `key ${i + 1}`, onclick: () => set(id)},
          title);
    button.addEventListener('keydown', (event) => {
      const move = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!move) return;
      event.preventDefault();
      const next = (i + move + MODES.length) % MODES.length;
      set(MODES[next].id);
      byId('modes').children[next].focus();
    });
    byId('modes').append(button);
  });
}

export function markMode(mode) {
  for (const button of byId('modes').children) {
    const on = button.dataset.mode === mode;
    button.setAttribute('aria-checked', String(on));
    button.tabIndex = on ? 0 : -1;
  }
}

/**
 * @param keys {key: what to do}: wherever the focus is, but for fields and dialogues; `ready()`: whether to
 *     at all
 */
export function startKeys(keys, ready) {
  document.addEventListener('keydown', (event) => {
    const typing = event.target.matches('input:not([type="range"]), select, textarea') ||
        document.querySelector('dialog[open]');
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !ready()) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

export function startButtons(view) {
  const acts = {in : () => view.zoomBy(1.35), out: () => view.zoomBy(1 / 1.35), fit: () => view.fit()};
  byId('zoom').addEventListener('click', (event) => acts[event.target.closest('button')?.dataset.do]?.());
  byId('help').addEventListener('click', () => byId('keys').showModal());
}
