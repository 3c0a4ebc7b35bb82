/**
 * A model server that sometimes fails: of 100 calls about two are answered with 500, two with 429 and
 * `Retry-After`, one is cut before the first token and one after some of them. The others write 40 to 200
 * tokens, 50 a second.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRandom } from '../../support/random.ts';
import { chatWire } from '../../support/model-wires.ts';

interface Answer {
  response: ServerResponse;
  left: number;
  isCut: boolean;
}

const random = createRandom(5);
const begin = chatWire.begin().join('');
const words = ['It ', 'is ', 'made ', 'with ', '`one` ', 'call ', '[1], ', 'then ', 'run.\n'];
const running = new Set<Answer>();
setInterval(() => {
  for (const answer of running) {
    answer.left -= 1;
    if (answer.left > 0) answer.response.write(chatWire.delta(random.pick(words)));
    else {
      running.delete(answer);
      if (answer.isCut) answer.response.destroy();
      else {
        const asked = { stream: true, stream_options: { include_usage: true } };
        answer.response.end(chatWire.end(asked, { input: 3_000, output: 120 }).join(''));
      }
    }
  }
}, 20);

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    const chance = random.below(100);
    const refuse = (status: number, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ error: { message: `Scripted ${status}` } }));
    };
    if (chance < 2) return refuse(500);
    if (chance < 4) return refuse(429, { 'retry-after': '1' });
    if (chance < 5) return void response.destroy();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.socket?.setNoDelay(true);
    response.write(begin);
    const answer = { response, left: 40 + random.below(160), isCut: chance < 6 };
    running.add(answer);
    response.once('close', () => running.delete(answer));
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
});
process.once('SIGTERM', () => process.exit(0));
