/**
 * A model server for the streams bench, `model.ts [ms]`: every answer is 200 tokens, 20 ms apart, on the wire of
 * OpenAI's chat completions. One timer serves all answers, so that it takes little of the machine.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chatWire } from '../../support/model-wires.ts';

const tokens = 200;
const everyMs = Number(process.argv[2] ?? 20);

interface Answer {
  response: ServerResponse;
  sent: number;
}

const begin = Buffer.from(chatWire.begin().join(''));
const end = Buffer.from(
  chatWire
    .end({ stream: true, stream_options: { include_usage: true } }, { input: 100, output: tokens })
    .join(''),
);
const words = ['It ', 'is ', 'made ', 'with ', 'one ', 'call ', '[1], ', 'then ', 'run. '];
/** Each round of words has a number, because an answer that repeats itself is cut. */
const deltas = Array.from({ length: tokens }, (_, at) => {
  const word = words[at % words.length] ?? '';
  return Buffer.from(chatWire.delta(word === 'one ' ? `${at} ` : word));
});

/** The word that the callers wait for. */
const firstDelta = Buffer.from(chatWire.delta('Begin '));

const running = new Set<Answer>();
setInterval(() => {
  for (const answer of running) {
    if (answer.sent < tokens) {
      answer.response.write(deltas[answer.sent % deltas.length]);
      answer.sent += 1;
    } else {
      running.delete(answer);
      answer.response.end(end);
    }
  }
}, everyMs);

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    // It lists no models.
    if (request.method !== 'POST') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.socket?.setNoDelay(true);
    // The first token goes out at once: what is measured is what a server adds to it.
    response.write(Buffer.concat([begin, firstDelta]));
    const answer = { response, sent: 1 };
    running.add(answer);
    response.once('close', () => running.delete(answer));
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
});
process.once('SIGTERM', () => process.exit(0));
