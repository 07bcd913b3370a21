// What is drawn by WebGL: outlines of groups, links, the lit path, nodes. Quads with soft edges, one draw
// call a kind; not instanced, since renderers in software treat every instance as a draw call of its own.
// Links that would fall on one another at a zoom level are drawn as one, in the colour of the worst of them:
// 26,000 links become some thousands at a glance, and each its own when one looks closer.

import {BufferAttribute, BufferGeometry, Camera as NoCamera, ColorManagement, GLSL3, LinearSRGBColorSpace, Mesh, Points, RawShaderMaterial, Scene as Group, ShapeUtils, Vector2, Vector4, WebGLRenderer,} from 'three';
import {mergedLinks} from './merge.js';

ColorManagement.enabled = false;

// view: the centre in units, the scale; screen: half its size in CSS pixels, and device pixels for each.
const COMMON = `precision highp float; uniform vec4 view; uniform vec4 screen;
vec2 toScreen(vec2 at) { return (at - view.xy) * view.z; }
vec2 corner_of(int id) { return vec2(float(id & 1), float((id >> 1) & 1)); }
vec4 place(vec2 pixel) { return vec4(pixel.x / screen.x, -pixel.y / screen.y, 0.0, 1.0); }`;

const LINK_VERTEX = `${COMMON}
in vec4 ends; in vec4 shade; in vec4 style;
out vec4 tint; out vec3 where; out float dashes;
uniform float widen;
void main() {
  vec2 corner = corner_of(gl_VertexID) * vec2(1.0, 2.0) - vec2(0.0, 1.0);
  vec2 a = toScreen(ends.xy), b = toScreen(ends.zw);
  vec2 way = b - a; float size = max(length(way), 1e-4); way /= size;
  float half_width = style.x * 16.0 * 0.5 + widen;
  float reach = half_width + 0.75;
  vec2 at = mix(a, b, corner.x) + vec2(-way.y, way.x) * corner.y * reach;
  gl_Position = place(at);
  tint = shade; dashes = style.y;
  where = vec3(corner.y * reach, half_width, corner.x * size);
}`;
const LINK_FRAGMENT = `precision highp float;
in vec4 tint; in vec3 where; in float dashes; out vec4 colour;
uniform vec4 flat_colour;
void main() {
  float cover = clamp(where.y + 0.5 - abs(where.x), 0.0, 1.0);
  if (dashes > 0.5 && fract(where.z / 9.0) > 0.6) discard;
  colour = tint;
  if (flat_colour.a > 0.0) colour = flat_colour;
  colour.a *= cover;
}`;
const NODE_VERTEX = `${COMMON}
in vec2 at; in vec4 sizes; in vec4 paint; in vec4 ring; in float shape;
out vec4 tint; out vec4 edge; out vec3 form;
void main() {
  float radius = clamp(sizes.x * view.z, sizes.y, sizes.z) * 0.5;
  float reach = radius + 0.75 + (ring.a > 0.0 ? 4.0 : 0.0);
  tint = paint; edge = ring; form = vec3(radius, shape, reach * 2.0);
  gl_Position = place(toScreen(at));
  gl_PointSize = reach * 2.0 * screen.z;
}`;
const NODE_FRAGMENT = `precision highp float;
in vec4 tint; in vec4 edge; in vec3 form; out vec4 colour;
float distance_to(vec2 p, float r, float shape) {
  if (shape < 0.5) return length(p) - r;
  if (shape < 1.5) { float c = r * 0.35; vec2 q = abs(p) - (r * 0.9 - c); return length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - c; }
  return (abs(p.x) + abs(p.y)) * 0.7071 - r * 0.8;
}
void main() {
  vec2 pixel = (gl_PointCoord - 0.5) * form.z;
  float d = distance_to(pixel, form.x, form.y);
  float inside = clamp(0.5 - d, 0.0, 1.0);
  float ring = edge.a * clamp(1.6 - abs(d - 2.4), 0.0, 1.0);
  colour = vec4(mix(edge.rgb, tint.rgb, inside), max(inside * tint.a, ring));
  if (colour.a < 0.01) discard;
}`;
const FILL_VERTEX = `${COMMON} in vec2 at; void main() { gl_Position = place(toScreen(at)); }`;
const FILL_FRAGMENT =
    `precision mediump float; uniform vec4 flat_colour; out vec4 colour; void main() { colour = flat_colour; }`;

const SHAPES = {
  hca: 0,
  switch: 1,
  router: 2
};

export class Scene {
  constructor(canvas) {
    this.renderer = new WebGLRenderer({
      canvas,
      antialias: false,
      alpha: false,
      depth: false,
      stencil: false,
      powerPreference: 'high-performance'
    });
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    this.renderer.sortObjects = false;
    this.shared = {view: {value: new Vector4(0, 0, 1, 0)}, screen: {value: new Vector4(1, 1, 1, 0)}};
    this.camera = new NoCamera();
    this.levels = new Map();
    this.cost = 0;
  }

  material(vertexShader, fragmentShader, uniforms = {}) {
    return new RawShaderMaterial({
      vertexShader,
      fragmentShader,
      glslVersion: GLSL3,
      transparent: true,
      depthTest: false,
      depthWrite: false,
      uniforms: {...this.shared, ...uniforms},
    });
  }

  materials() {
    this.kept ??= {
      link: this.material(
          LINK_VERTEX, LINK_FRAGMENT, {flat_colour: {value: new Vector4(0, 0, 0, 0)}, widen: {value: 0}}),
      casing: this.material(
          LINK_VERTEX, LINK_FRAGMENT, {flat_colour: {value: new Vector4(1, 1, 1, 1)}, widen: {value: 2.5}}),
      node: this.material(NODE_VERTEX, NODE_FRAGMENT),
      fill: this.material(FILL_VERTEX, FILL_FRAGMENT, {flat_colour: {value: new Vector4(0, 0, 0, 1)}}),
    };
    return this.kept;
  }

  setTheme(theme) {
    this.theme = theme;
    const [r, g, b] = theme.rgb.background;
    this.renderer.setClearColor((r << 16) | (g << 8) | b, 1);
    this.materials().casing.uniforms.flat_colour.value.set(r / 255, g / 255, b / 255, 1);
    this.materials().fill.uniforms.flat_colour.value.set(...theme.rgb.outline.map((value) => value / 255), 1);
  }

  resize(width, height, ratio) {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.shared.screen.value.set(width / 2, height / 2, ratio, 0);
  }

  setFabric(fabric, layout) {
    this.fabric = fabric;
    this.layout = layout;
    this.fill?.geometry.dispose();
    this.fill = this.outlines(layout.outlines);
    this.forget();
  }

  outlines(shapes) {
    const points = [];
    for (const shape of shapes) {
      const contour = shape.map(({x, y}) => new Vector2(x, y));
      for (const corner of ShapeUtils.triangulateShape(contour, []).flat())
        points.push(contour[corner].x, contour[corner].y);
    }
    return plain(
        'at', new Float32Array(points),
        (geometry) => new Mesh(geometry, this.twoSided(this.materials().fill)));
  }

  twoSided(material) {
    material.side = 2;
    return material;
  }

  /** What is drawn is made anew when it is next needed: colours or links have changed. */
  forget() {
    for (const mesh of this.levels.values()) mesh.geometry.dispose();
    this.levels.clear();
  }

  /** paint(link) = {from, to, weight, dashed, alpha}; nodes(node) = {colour, alpha, ring, big}. */
  setPaint(paint, nodes) {
    this.paint = paint;
    this.forget();
    this.nodes?.geometry.dispose();
    this.nodes = this.nodeMesh(this.fabric.nodes, nodes);
  }

  nodeMesh(list, paintOf) {
    const count = list.length;
    const data = {
      at: new Float32Array(count * 2),
      sizes: new Float32Array(count * 4),
      shape: new Float32Array(count),
      paint: new Uint8Array(count * 4),
      ring: new Uint8Array(count * 4),
    };
    // Hosts first, so that switches lie on them.
    const order = [...list].sort((a, b) => SHAPES[a.type] - SHAPES[b.type]);
    order.forEach((node, i) => {
      const {colour, alpha, ring, big} = paintOf(node);
      const host = node.type === 'hca';
      data.at.set([this.layout.x[node.index], this.layout.y[node.index]], i * 2);
      data.sizes.set([this.layout.size[node.index], big ? 9 : host ? 1.3 : 2.6, 72, 0], i * 4);
      data.shape[i] = SHAPES[node.type] ?? 0;
      data.paint.set([...colour, Math.round(alpha * 255)], i * 4);
      if (ring) data.ring.set([...ring, 255], i * 4);
    });
    const geometry = new BufferGeometry();
    for (const [name, values, size] of [
             ['at', data.at, 2], ['sizes', data.sizes, 4], ['shape', data.shape, 1], ['paint', data.paint, 4],
             ['ring', data.ring, 4]])
      geometry.setAttribute(name, new BufferAttribute(values, size, values instanceof Uint8Array));
    geometry.setDrawRange(0, count);
    return still(new Points(geometry, this.materials().node));
  }

  /** The links as they are drawn at a zoom level. */
  level(scale) {
    const level = Math.max(-8, Math.min(9, Math.round(Math.log2(scale))));
    let made = this.levels.get(level);
    if (!made) {
      if (this.levels.size > 6) this.forget();
      made = this.linkMeshes(mergedLinks(this.fabric, this.layout, this.paint, 2 ** level));
      this.levels.set(level, made);
    }
    return made;
  }

  linkMeshes(drawn) {
    // Two halves a link where its directions differ, so that each has its own colour.
    const halves = drawn.flatMap(
        (one) => (one.from === one.to ? [one] : [
          {
            ...one,
            ends: [one.ends[0], one.ends[1], (one.ends[0] + one.ends[2]) / 2, (one.ends[1] + one.ends[3]) / 2]
          },
          {
            ...one,
            from: one.to,
            ends: [(one.ends[0] + one.ends[2]) / 2, (one.ends[1] + one.ends[3]) / 2, one.ends[2], one.ends[3]]
          },
        ]));
    return this.softLinks(halves, this.materials().link);
  }

  softLinks(list, material) {
    const count = list.length;
    const ends = new Float32Array(count * 4);
    const shade = new Uint8Array(count * 4);
    const style = new Uint8Array(count * 4);
    list.forEach((one, i) => {
      ends.set(one.ends, i * 4);
      shade.set([...one.from, Math.round(one.alpha * 255)], i * 4);
      style.set([Math.min(255, Math.round((one.width / 16) * 255)), one.dashed ? 255 : 0, 0, 0], i * 4);
    });
    const geometry = quads(count, {ends: [ends, 4], shade: [shade, 4], style: [style, 4]});
    return still(new Mesh(geometry, this.twoSided(material)));
  }

  /** Lit links, [{link, colour, width}], in this order over all others; and lit nodes as setPaint's. */
  setPath(lit, nodes, paintOf) {
    for (const mesh of [this.path, this.casing, this.litNodes]) mesh?.geometry.dispose();
    this.path = this.casing = this.litNodes = null;
    if (lit.length === 0 && nodes.length === 0) return;
    const {x, y} = this.layout;
    const list = lit.map(({link, colour, width, dashed}) => ({
                           ends: [x[link.a], y[link.a], x[link.b], y[link.b]],
                           from: colour,
                           alpha: 1,
                           width,
                           dashed,
                         }));
    this.casing = this.softLinks(list.map((one) => ({...one, dashed: false})), this.materials().casing);
    this.path = this.softLinks(list, this.materials().link);
    this.litNodes = this.nodeMesh(nodes, paintOf);
  }

  draw(camera) {
    if (!this.fabric) return;
    const begun = performance.now();
    this.shared.view.value.set(camera.x, camera.y, camera.scale, 0);
    const group = new Group();
    group.matrixWorldAutoUpdate = false;
    for (const mesh
             of [this.fill, this.level(camera.scale), this.casing, this.path, this.nodes, this.litNodes])
      if (mesh) group.children.push(mesh);
    this.renderer.render(group, this.camera);
    this.measure(begun);
  }

  /**
   * Notes in `cost` how many milliseconds drawing takes, the work of the GPU (or of what stands in for it)
   * included.
   */
  measure(begun) {
    const gl = this.renderer.getContext();
    if (this.fence) return;
    this.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    const poll = () => {
      const state = this.fence && gl.clientWaitSync(this.fence, 0, 0);
      if (state === gl.TIMEOUT_EXPIRED) return void setTimeout(poll, 4);
      gl.deleteSync(this.fence);
      this.fence = null;
      this.cost = performance.now() - begun;
    };
    setTimeout(poll, 4);
  }
}

/** Two triangles for each of `count` things; `columns`: [values, values for each thing] by attribute. */
function quads(count, columns) {
  const geometry = new BufferGeometry();
  for (const [name, [values, size]] of Object.entries(columns)) {
    const spread = new values.constructor(count * size * 4);
    for (let i = 0; i < count; ++i)
      for (let k = 0; k < size; ++k) {
        const value = values[i * size + k];
        for (let corner = 0; corner < 4; ++corner) spread[(i * 4 + corner) * size + k] = value;
      }
    geometry.setAttribute(name, new BufferAttribute(spread, size, values instanceof Uint8Array));
  }
  const index = new Uint32Array(count * 6);
  for (let i = 0; i < count; ++i)
    index.set([i * 4, i * 4 + 1, i * 4 + 2, i * 4 + 2, i * 4 + 1, i * 4 + 3], i * 6);
  geometry.setIndex(new BufferAttribute(index, 1));
  return geometry;
}

function plain(name, values, meshOf) {
  const geometry = new BufferGeometry();
  geometry.setAttribute(name, new BufferAttribute(values, 2));
  geometry.setDrawRange(0, values.length / 2);
  return still(meshOf(geometry));
}

/** Nothing of ours is moved by matrices, and nothing is culled by bounds that three would have to compute. */
function still(mesh) {
  mesh.frustumCulled = false;
  mesh.matrixAutoUpdate = false;
  return mesh;
}
