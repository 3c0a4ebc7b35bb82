/** The service as a page reaches it on a bad day: passes everything on, except the questions it was told not to. */
import { createServer, request as forward, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Fault =
  | { status: number; body: string; headers?: Record<string, string> }
  /** Takes the question and never says a word. */
  | 'mute'
  /** Breaks the connection. */
  | 'reset';

export type FaultServer = Awaited<ReturnType<typeof startFaultServer>>;

/** An error as the service writes it. */
export const refusal = (status: number, code: string, more: object = {}): Fault => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ error: 'For programs.', code, requestId: 'r1', ...more }),
});

export async function startFaultServer(target: string) {
  const faults: Fault[] = [];
  let asked = 0;
  const server = createServer((request, response) => {
    const isQuestion =
      request.method === 'POST' && /\/v2\/assistant\/[^/]+\/message$/.test(request.url ?? '');
    if (isQuestion) asked++;
    const fault = isQuestion ? faults.shift() : undefined;
    if (fault !== undefined) return fail(fault, response);
    const { method, url, headers } = request;
    const onward = forward(target + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What happens to the questions that come next, one after the other. */
    failNext: (...next: Fault[]) => faults.push(...next),
    /** How many questions have come, failed ones included. */
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function fail(fault: Fault, response: ServerResponse): void {
  if (fault === 'mute') return;
  if (fault === 'reset') return void response.destroy();
  response.writeHead(fault.status, {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'Retry-After',
    ...fault.headers,
  });
  response.end(fault.body);
}
