// Tabs as the ARIA practices want them: one is in the tab order, arrows go to the others.

import {h} from './dom.js';

/** @param panels [{id, title, element}]  @returns {show(id), count(id, number), shown()} */
export function tabs(bar, place, panels, onShow = () => {}) {
  let current = panels[0].id;
  const buttons = new Map();
  const show = (id, focus = false) => {
    current = id;
    for (const panel of panels) {
      const on = panel.id === id;
      const button = buttons.get(panel.id);
      button.setAttribute('aria-selected', String(on));
      button.tabIndex = on ? 0 : -1;
      panel.element.hidden = !on;
      if (on && focus) button.focus();
    }
    onShow(id);
  };
  for (const panel of panels) {
    const button =
        h('button', {
          type: 'button',
          role: 'tab',
          id: `tab-${panel.id}`,
          'aria-controls': `panel-${panel.id}`,
          onclick: () => show(panel.id)
        },
          panel.title);
    button.addEventListener('keydown', (event) => {
      const move = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!move) return;
      event.preventDefault();
      event.stopPropagation();
      const at = panels.findIndex((one) => one.id === current);
      show(panels[(at + move + panels.length) % panels.length].id, true);
    });
    buttons.set(panel.id, button);
    bar.append(button);
    for (const [key, value] of Object.entries(
             {role: 'tabpanel', id: `panel-${panel.id}`, 'aria-labelledby': `tab-${panel.id}`, tabindex: 0}))
      panel.element.setAttribute(key, value);
    place.append(panel.element);
  }
  show(current);
  return {
    show,
    shown: () => current,
    count: (id, number) => {
      const button = buttons.get(id);
      button.querySelector('.count')?.remove();
      if (number > 0) button.append(h('span', {class: 'count'}, String(number)));
    },
  };
}
