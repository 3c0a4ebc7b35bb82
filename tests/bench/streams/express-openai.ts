/**
 * What somebody writes in an afternoon: Express and the `openai` client, whose stream is rewritten into the
 * parts of a chat SDK. It has no key, no limits, no search, and stores nothing.
 */
import type { AddressInfo } from 'node:net';
import express from 'express';
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: process.argv[2] ?? '', apiKey: 'none' });
const app = express();
app.use(express.json());
app.post('/', async (request, response) => {
  const { messages } = request.body as { messages: { parts: { text: string }[] }[] };
  const content = messages.at(-1)?.parts[0]?.text ?? '';
  const stream = await client.chat.completions.create({
    model: 'bench',
    stream: true,
    messages: [{ role: 'user', content }],
  });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (part: object) => response.write(`data: ${JSON.stringify(part)}\n\n`);
  send({ type: 'start' });
  send({ type: 'text-start', id: '0' });
  for await (const chunk of stream) {
    const delta = chunk.choices[0]?.delta.content;
    if (delta) send({ type: 'text-delta', id: '0', delta });
  }
  send({ type: 'text-end', id: '0' });
  send({ type: 'finish' });
  response.end();
});
const server = app.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => process.exit(0));
