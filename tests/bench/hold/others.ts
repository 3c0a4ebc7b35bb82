/**
 * What is foreign to a service, as a process of its own: a language model whose answers have 40 MB, and a web
 * site with a long `robots.txt`, 1,000 links, and 400 kB of `</script ` without its end.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chatWire } from '../../support/model-wires.ts';

const rules = Array.from({ length: 20_000 }, (_, at) => `Disallow: /*${at}*private`).join('\n');
const links = Array.from({ length: 1_000 }, (_, at) => `<a href="/page-${at}">${at}</a>`).join('');
const html = (body: string) => `<!doctype html><title>Foreign</title><main>${body}</main>`;
const words = chatWire.delta('Kestrel is installed with one command. '.repeat(200));
const answerBytes = 40e6;

async function answer(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chatWire.begin().join(''));
  for (let sent = 0; sent < answerBytes && !response.destroyed; sent += words.length) {
    // oxlint-disable-next-line no-await-in-loop -- the reader decides how fast
    if (!response.write(words)) await once(response, 'drain').catch(() => undefined);
  }
  const asked = { stream: true, stream_options: { include_usage: true } };
  response.end(chatWire.end(asked, { input: 3_000, output: 10_000 }).join(''));
}

const server = createServer((request, response) => {
  response.on('error', () => undefined);
  if (request.method === 'POST') {
    request.resume().once('end', () => void answer(response));
    return;
  }
  const path = request.url ?? '/';
  if (path === '/robots.txt') {
    response.setHeader('content-type', 'text/plain');
    response.end(`User-agent: *\n${rules}\n`);
    return;
  }
  response.setHeader('content-type', 'text/html');
  response.end(html(path === '/' ? links + '</script '.repeat(44_000) : `<h1>${path}</h1>Text.`));
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => process.exit(0));
