// Serves the view from src/ or dist/ while working on it, and passes /v1 on to a weftd's control socket.
//
//   node dev/server.mjs --socket /tmp/weft1.sock [--port 8724] [--dist DIR]
//
// weftd serves the view itself; this is for changing it without building weftd.

import {createServer, request} from 'node:http';
import {readFile} from 'node:fs/promises';
import {dirname, extname, join, normalize} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml'
};
export const POLICY =
    'default-src \'none\'; script-src \'self\'; style-src \'self\'; img-src \'self\'; connect-src \'self\'; ' +
    'base-uri \'none\'; form-action \'none\'; frame-ancestors \'none\'';

/** @returns the listening server; `port` 0 takes any free one */
export function serve({socket, port = 0, dist, intercept}) {
  const server = createServer(async (asked, answer) => {
    const path = new URL(asked.url, 'http://view').pathname;
    if (intercept && (await intercept(asked, answer, path))) return;
    if (path.startsWith('/v1/')) return pass(socket, asked, answer);
    const file = join(dist, normalize(path === '/' ? '/index.html' : path));
    try {
      const bytes = await readFile(file);
      answer.writeHead(200, {
        'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
        'Content-Security-Policy': POLICY,
        'Cache-Control': 'no-store'
      });
      answer.end(bytes);
    } catch {
      answer.writeHead(404).end();
    }
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

function pass(socket, asked, answer) {
  const {host, ...headers} = asked.headers;
  const through = request(
      {socketPath: socket, path: asked.url, method: asked.method, headers: {...headers, host: 'weftd'}},
      (from) => {
        answer.writeHead(from.statusCode, from.headers);
        answer.flushHeaders();
        from.pipe(answer);
      });
  through.on('error', () => answer.writeHead(502).end());
  answer.on('close', () => through.destroy());
  asked.pipe(through);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const {values} = parseArgs(
      {options: {socket: {type: 'string'}, port: {type: 'string', default: '8724'}, dist: {type: 'string'}}});
  const dist = values.dist ?? join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');
  const server = await serve({socket: values.socket, port: Number(values.port), dist});
  console.log(`http://127.0.0.1:${server.address().port}/`);
}
