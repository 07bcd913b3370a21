// Making elements. Text goes in as text only, so nothing that a device calls itself can become markup.

/** h('p', {class: 'quiet', onclick: f}, 'text', child, [more]) */
export function h(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on'))
      made.addEventListener(key.slice(2), value);
    else
      made.setAttribute(key, value === true ? '' : value);
  }
  made.append(
      ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export const byId = (id) => document.getElementById(id);
export const fill = (place, ...children) => place.replaceChildren(...children.flat(Infinity).filter(Boolean));

export function count(number, word, many = `${word}s`) {
  return `${number.toLocaleString('en')} ${number === 1 ? word : many}`;
}

/** A drawn bit of a link, for legends. */
export function lineSwatch(colour, dashed) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  for (const [key, value] of [['width', 26], ['height', 10], ['aria-hidden', 'true']])
    svg.setAttribute(key, value);
  const line = document.createElementNS(space, 'line');
  const shape = {
    x1: 1,
    y1: 5,
    x2: 25,
    y2: 5,
    stroke: colour,
    'stroke-width': dashed ? 3 : 4,
    'stroke-dasharray': dashed ? '5 3' : null
  };
  for (const [key, value] of Object.entries(shape))
    if (value !== null) line.setAttribute(key, value);
  svg.append(line);
  return svg;
}
