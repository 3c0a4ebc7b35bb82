/** A host in front of the service, as a cache or a proxy is: it counts, and can be told to change files. */
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Front = Awaited<ReturnType<typeof startFront>>;

export async function startFront(target: () => string) {
  /** What was asked of it: method and path. */
  const seen: string[] = [];
  /** Files of its own, by path. */
  const own = new Map<string, string>();
  /** Changes the text of scripts whose path matches; `undefined` answers 503. */
  let change: ((path: string, text: string) => string | undefined) | undefined;

  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    seen.push(`${request.method} ${path}`);
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
      async (answer) => {
        if (!isScript || !change) {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
          return;
        }
        const text = change(path, String(Buffer.concat(await answer.toArray())));
        const { 'content-length': _length, ...others } = answer.headers;
        if (text === undefined) response.writeHead(503, { 'access-control-allow-origin': '*' });
        else response.writeHead(answer.statusCode ?? 502, others);
        response.end(text);
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    own,
    change(rule: typeof change) {
      change = rule;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
