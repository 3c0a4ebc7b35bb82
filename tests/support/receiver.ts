import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  headers: Record<string, string>;
  body: string;
}

/** A server of the owner's that takes webhooks: it keeps what comes, and answers what a test says. */
export async function startReceiver() {
  const received: Received[] = [];
  let answer: number | 'nothing' | { status: number; location: string } = 204;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.once('end', () => {
      received.push({ headers: request.headers as Record<string, string>, body });
      if (answer === 'nothing') return;
      if (typeof answer === 'number') response.writeHead(answer).end();
      else response.writeHead(answer.status, { location: answer.location }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/alerts?token=geheim`,
    received,
    reply(next: typeof answer) {
      answer = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
