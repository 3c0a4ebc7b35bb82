/** A host in front of the service, as a cache or a proxy is: it counts, and can be told to change files. */
import {
  createServer,
  type IncomingMessage,
  request as send,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export type Front = Awaited<ReturnType<typeof startFront>>;

export async function startFront(target: () => string) {
  /** What was asked of it: method and path. */
  const seen: string[] = [];
  /** Files of its own, by path. */
  const own = new Map<string, string>();
  /** Changes the text of scripts whose path matches; `undefined` answers 503. */
  let change: ((path: string, text: string) => string | undefined) | undefined;

  /** What is asked for waits here until a test lets it go on. */
  let held: { path: string; goOn: () => void }[] | undefined;

  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    seen.push(`${request.method} ${path}`);
    if (held) held.push({ path, goOn: () => answer(request, response, path) });
    else answer(request, response, path);
  });
  function answer(request: IncomingMessage, response: ServerResponse, path: string): void {
    const file = own.get(path);
    const script = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
    if (file !== undefined) return void response.writeHead(200, script).end(file);
    const isScript = path.endsWith('.js');
    const { method, headers } = request;
    const onward = send(
      target() + path,
      {
        method: method ?? 'GET',
        headers: { ...headers, ...(isScript && change && { 'accept-encoding': 'identity' }) },
      },
      async (reply) => {
        if (!isScript || !change) {
          response.writeHead(reply.statusCode ?? 502, reply.headers);
          reply.pipe(response);
          return;
        }
        const text = change(path, String(Buffer.concat(await reply.toArray())));
        const { 'content-length': _length, ...others } = reply.headers;
        if (text === undefined) response.writeHead(503, { 'access-control-allow-origin': '*' });
        else response.writeHead(reply.statusCode ?? 502, others);
        response.end(text);
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    own,
    change(rule: typeof change) {
      change = rule;
    },
    /** From now on nothing is answered; gives what waits by the time it is looked at. */
    hold(): { path: string; goOn: () => void }[] {
      return (held = []);
    },
    /** Answers again, also what has waited. */
    release() {
      const waiting = held ?? [];
      held = undefined;
      for (const { goOn } of waiting) goOn();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
