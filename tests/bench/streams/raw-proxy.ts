/**
 * The limit of what can be reached: a plain Node proxy that rewrites the model's stream into the parts
 * of a chat SDK, and does nothing else: no key, no limits, no retrieval, nothing stored.
 */
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

const model = process.argv[2] ?? '';
const agent = new Agent({ keepAlive: true });
const headers = { 'content-type': 'text/event-stream', 'x-vercel-ai-ui-message-stream': 'v1' };
const part = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  request.once('end', () => {
    const { messages } = JSON.parse(text) as { messages: { parts: { text: string }[] }[] };
    const content = messages.at(-1)?.parts[0]?.text;
    const body = { model: 'bench', stream: true, messages: [{ role: 'user', content }] };
    const upstream = httpRequest(`${model}/chat/completions`, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json' },
    });
    upstream.once('response', (stream) => {
      response.writeHead(200, headers);
      response.write(part({ type: 'start' }) + part({ type: 'text-start', id: '0' }));
      let rest = '';
      stream.setEncoding('utf8').on('data', (piece: string) => {
        rest += piece;
        for (let stop = rest.indexOf('\n\n'); stop >= 0; stop = rest.indexOf('\n\n')) {
          const data = rest.slice('data: '.length, stop);
          rest = rest.slice(stop + 2);
          if (data === '[DONE]') continue;
          const chunk = JSON.parse(data) as { choices: { delta: { content?: string } }[] };
          const delta = chunk.choices[0]?.delta.content;
          if (delta) response.write(part({ type: 'text-delta', id: '0', delta }));
        }
      });
      stream.once('end', () => {
        response.end(part({ type: 'text-end', id: '0' }) + part({ type: 'finish' }));
      });
    });
    upstream.end(JSON.stringify(body));
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => process.exit(0));
