/**
 * A load balancer as simple as one can be: each request goes to the next server. As the documentation
 * advises (`proxy_next_upstream error http_503 non_idempotent`), a server that cannot be connected to,
 * or says that it is not there at the moment, is passed over.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as send,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

const triesMost = 4;

export async function startRoundRobin(servers: () => string[]) {
  let turn = 0;

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const addresses = [request.headers['x-forwarded-for'], request.socket.remoteAddress];
    const headers = {
      ...request.headers,
      'x-forwarded-for': addresses.filter((each) => each !== undefined).join(', '),
    };
    const begin = turn++;
    for (let tries = 0; tries < triesMost; tries++) {
      // Read each time: meanwhile one may have been started in another's place.
      const targets = servers();
      const target = targets[(begin + tries) % targets.length] ?? '';
      const upstream = send(target + (request.url ?? '/'), {
        method: request.method ?? 'GET',
        headers,
        // Each on a connection of its own: one that is kept open may belong to a server that stops.
        agent: false,
      });
      response.once('close', () => upstream.destroy());
      upstream.end(body);
      try {
        const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
        if (answer.statusCode === 503 && tries < triesMost - 1) {
          answer.resume();
          continue;
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.on('error', () => response.destroy());
        answer.pipe(response);
        return;
      } catch {
        // The next one.
      }
    }
    response.writeHead(502).end();
  }

  const server = createServer((request, response) => void forward(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
