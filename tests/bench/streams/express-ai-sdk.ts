/**
 * What the AI SDK's documentation shows for Express: `streamText`, piped to the response. It has no
 * key, no limits, no retrieval and stores nothing.
 */
import type { AddressInfo } from 'node:net';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { convertToModelMessages, streamText, type UIMessage } from 'ai-7-newest';
import express from 'express';

const provider = createOpenAICompatible({ name: 'bench', baseURL: process.argv[2] ?? '' });
const app = express();
app.use(express.json());
app.post('/', async (request, response) => {
  const { messages } = request.body as { messages: UIMessage[] };
  const result = streamText({
    model: provider('bench'),
    messages: await convertToModelMessages(messages),
  });
  await result.pipeUIMessageStreamToResponse(response);
});
const server = app.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => process.exit(0));
