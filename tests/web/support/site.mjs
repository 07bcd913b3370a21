// A weftd on a simulated fabric, and Chromium looking at it. Nothing has a fixed name or port.

import {execFile, spawn} from 'node:child_process';
import {chmodSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const bin = process.env.WEFT_BIN ?? join(root, 'build', 'dev', 'bin');
const run = promisify(execFile);

export const TOKEN = 'a-token-of-the-tests-0123456789';

/** Waits until `probe` answers something that is true. */
export async function until(probe, what, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await probe();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`waited ${seconds} s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function start(program, args, ready) {
  const child = spawn(join(bin, program), args, {stdio: ['ignore', 'pipe', 'pipe']});
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data));
  const up = until(() => {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}:\n${text}`);
    return ready(text);
  }, `${program} is ready`, 240);
  const stop = () => new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', resolve);
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), 5000).unref();
  });
  return up.then(() => ({stop, log: () => text}), async (error) => {
    await stop();
    throw error;
  });
}

/**
 * @param fabric a blueprint  @param config more of weft.yaml  @param closed ask for the token, too
 * @returns {url, sim(words...), weftctl(words...), api(path), stop()}
 */
export async function site(fabric, {config = '', closed = false} = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'weft-web-'));
  const name = `weft-web-${process.pid}-${folder.slice(-6)}`;
  const socket = join(folder, 'weftd.sock');
  const tokens = join(folder, 'token');
  writeFileSync(tokens, `${TOKEN}\n`);
  chmodSync(tokens, 0o600);
  const reading = closed ? `read_token_file: ${tokens}` : 'open_reading: true';
  writeFileSync(join(folder, 'weft.yaml'), `transport: { kind: ibsim, ibsim: { socket: ${name} } }
control: { socket: ${socket}, tcp: { listen: "127.0.0.1:0", ${reading} } }
state_dir: ${join(folder, 'state')}
${config}
`);
  const started = [];
  let port = 0;
  const stop = async () => {
    for (const program of started.reverse()) await program.stop();
    rmSync(folder, {recursive: true, force: true});
  };
  const weftctl = async (...words) =>
      (await run(join(bin, 'weftctl'), ['--socket', socket, ...words], {maxBuffer: 1 << 28})).stdout;
  try {
    started.push(
        await start('weftsim', ['--fabric', fabric, '--socket', name], (text) => text.includes('ready:')));
    started.push(
        await start('weftd', ['--config', join(folder, 'weft.yaml')], (text) => text.includes('sweep done')));
    [, port] = /tcp_port=(\d+)/.exec(started[1].log());
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `http://127.0.0.1:${port}/`,
    weftctl,
    stop,
    sim: async (...words) =>
        (await run(join(bin, 'weftsim'), ['ctl', '--socket', name, words.join(' ')])).stdout,
    api: async (path) => (await fetch(`http://127.0.0.1:${port}${path}`, {
                           headers: {Authorization: `Bearer ${TOKEN}`}
                         })).json(),
  };
}

/**
 * Chromium without a GPU, and a page that keeps what it complains of and whom it asks.
 * @param more of its command line
 */
export async function browser(more = []) {
  const {chromium} = createRequire(join(root, 'web', 'package.json'))('playwright-core');
  const program = await chromium.launch(
      {executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', ...more]});
  const open = async (url, options = {}) => {
    const context =
        await program.newContext({viewport: {width: 1440, height: 900}, colorScheme: 'light', ...options});
    const page = await context.newPage();
    page.complaints = [];
    page.asked = [];
    page.on('console', (message) => {
      if (message.type() === 'error') page.complaints.push(message.text());
    });
    page.on('pageerror', (error) => page.complaints.push(error.stack));
    page.on('request', (request) => page.asked.push(request.url()));
    await page.goto(url);
    return page;
  };
  return {open, close: () => program.close()};
}

/** Until the fabric is drawn and the picture rests. */
export async function shown(page) {
  await page.waitForFunction(
      () => window.weft?.view.drawn > 0 && document.getElementById('veil').hidden, null, {timeout: 60000});
  await rest(page);
}

export async function rest(page) {
  await page.waitForFunction(() => {
    const {view} = window.weft;
    return view.shown && !view.shown.moving && !view.camera.glide && !view.asked;
  }, null, {timeout: 30000});
}

/** The colour drawn at a place of the map, in units: [r, g, b]. */
export const colourAt = (page, x, y) => page.evaluate(([atX, atY]) => {
  const {view} = window.weft;
  view.paint(false);
  const gl = view.scene.renderer.getContext();
  const ratio = Math.min(2, devicePixelRatio);
  const at = view.camera.toScreen(atX, atY);
  const px = Math.round((at.x + (view.wide.width - view.camera.width) / 2) * ratio);
  const py = Math.round((view.wide.height - at.y - (view.wide.height - view.camera.height) / 2) * ratio);
  const bytes = new Uint8Array(4);
  gl.readPixels(px, py, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  return [...bytes.slice(0, 3)];
}, [x, y]);
