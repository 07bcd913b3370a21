// What colours mean. Kinds are told apart by hue, lightness and, for what is wrong, by dashes and width too:
// the hues are those of Okabe and Ito ("Color Universal Design", 2008), the scale is cividis (Nuñez,
// Anderton, Renslow 2018), both made to be told apart by people who see fewer colours.

import {healthOf} from './model.js';

const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

const THEMES = {
  light: {
    background: '#f7f8fa',
    outline: '#e9edf2',
    text: '#1c2530',
    faint: '#5d6b7a',
    halo: '#f7f8fa',
    switch: '#33475b',
    host: '#6f8093',
    router: '#7b4b94',
    good: '#8a9bae',
    path: '#0072b2',
    way: '#56b4e9',
    down: '#c8321c',
    starting: '#c98500',
    degraded: '#d98200',
    drained: '#7a5ea8',
    held: '#a0417f',
    dim: '#d5dbe2',
    member: '#0072b2',
    limited: '#009e73',
    choice: '#111111',
  },
  dark: {
    background: '#12171d',
    outline: '#1b232c',
    text: '#e6edf3',
    faint: '#93a1b0',
    halo: '#12171d',
    switch: '#c3d0dd',
    host: '#7f92a6',
    router: '#c39bdb',
    good: '#6d859e',
    path: '#56b4e9',
    way: '#2f7fb0',
    down: '#ff6b4a',
    starting: '#f0c244',
    degraded: '#ffb000',
    drained: '#b79be6',
    held: '#e58ac6',
    dim: '#28323d',
    member: '#56b4e9',
    limited: '#3fd0a0',
    choice: '#ffffff',
  },
};

/** cividis at 0, 1/8, ..., 1. */
const SCALE = [
  '#00224e', '#123570', '#3b496c', '#575d6d', '#707173', '#8a8678', '#a59c74', '#c3b369', '#fee838'
].map(rgb);

/** A colour of the scale, kept off the background of its theme. */
function scaled(share, dark) {
  const at = (dark ? 0.22 + 0.78 * share : 0.92 * (1 - share)) * 8;
  const low = Math.min(7, Math.floor(at));
  return SCALE[low].map((value, i) => Math.round(value + (SCALE[low + 1][i] - value) * (at - low)));
}
const hexOf = (colour) => `#${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`;

export function themeOf(dark) {
  const hex = dark ? THEMES.dark : THEMES.light;
  return {dark, hex, rgb: Object.fromEntries(Object.entries(hex).map(([key, value]) => [key, rgb(value)]))};
}

export const MODES = [
  {id: 'state', title: 'State'},
  {id: 'health', title: 'Health'},
  {id: 'speed', title: 'Speed'},
  {id: 'load', title: 'Route load'},
  {id: 'lanes', title: 'Lanes (VLs)'},
];

const WORDS = {
  down: 'down or gone',
  starting: 'not active yet',
  degraded: 'slower or narrower than it could be',
  drained: 'drained',
  held: 'held or disabled',
  good: 'active',
};

/**
 * How links are painted in a mode: paint(link) = {from, to: [r, g, b], weight: 0..1, dashed, wrong}, `from`
 * being the half at its end a; and the legend that says what it means.
 */
export function painter(mode, fabric, theme) {
  const flat = (name, weight, dashed = false) => ({
    from: theme.rgb[name],
    to: theme.rgb[name],
    weight,
    dashed,
    wrong: weight === 1,
  });
  const wrong = (link) => {
    const health = healthOf(link);
    if (health === 'down') return flat('down', 1, true);
    if (health === 'starting') return flat('starting', 1);
    return null;
  };
  const swatch = (name) => ({colour: theme.hex[name], text: WORDS[name], dashed: name === 'down'});
  if (mode === 'health')
    return {
      paint: (link) => {
        const health = healthOf(link);
        return flat(health, health === 'good' ? 0 : 1, health === 'down');
      },
      legend: ['good', 'degraded', 'drained', 'held', 'starting', 'down'].map(swatch),
    };
  if (mode === 'speed')
    return steps(fabric, theme, wrong, swatch, (link) => link.gbps, (rate) => {
      const link = fabric.links.find((one) => one.gbps === rate);
      return `${link.width} ${link.speed}`;
    });
  if (mode === 'lanes')
    return steps(
        fabric, theme, wrong, swatch, (link) => link.vls ?? 0,
        (vls) => `${vls} data lane${vls === 1 ? '' : 's'}`);
  if (mode === 'load') return loads(fabric, theme, wrong, swatch);
  return {paint: (link) => wrong(link) ?? flat('good', 0), legend: ['good', 'starting', 'down'].map(swatch)};
}

/** One colour for each value that links have. */
function steps(fabric, theme, wrong, swatch, valueOf, wordsOf) {
  const values = [...new Set(fabric.links.map(valueOf))].filter((value) => value > 0).sort((a, b) => a - b);
  const colours = new Map(values.map(
      (value, i) => [value, scaled(values.length === 1 ? 0.6 : i / (values.length - 1), theme.dark)]));
  const paint = (link) => {
    const bad = wrong(link);
    const colour = colours.get(valueOf(link)) ?? theme.rgb.good;
    return bad ?? {from: colour, to: colour, weight: 0.35, dashed: false, wrong: false};
  };
  const legend =
      [...values].reverse().map((value) => ({colour: hexOf(colours.get(value)), text: wordsOf(value)}));
  return {paint, legend: [...legend, swatch('starting'), swatch('down')]};
}

/** Each half of a link in the colour of the routes that leave by it; links between switches set the scale. */
function loads(fabric, theme, wrong, swatch) {
  const between = fabric.links.filter(
      (link) => fabric.nodes[link.a].type === 'switch' && fabric.nodes[link.b].type === 'switch');
  const most = between.reduce((top, link) => Math.max(top, link.flows_ab ?? 0, link.flows_ba ?? 0), 1);
  const share = (load) => Math.sqrt(Math.min(1, (load ?? 0) / most));
  const paint = (link) => {
    const bad = wrong(link);
    const heaviest = Math.max(share(link.flows_ab), share(link.flows_ba));
    return bad ?? {
      from: scaled(share(link.flows_ab), theme.dark),
      to: scaled(share(link.flows_ba), theme.dark),
      weight: heaviest ** 2,
      dashed: false,
      wrong: false
    };
  };
  const legend = [1, 0.5, 0.25, 0].map(
      (part) => ({
        colour: hexOf(scaled(share(part * most), theme.dark)),
        text: part === 0 ?
            'no route' :
            `${Math.round(part * most).toLocaleString('en')} routes${part === 1 ? ' (the most)' : ''}`,
      }));
  return {paint, legend: [...legend, swatch('down')]};
}
