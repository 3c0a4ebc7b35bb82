import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ErrorCode, errorTable } from '@docent/shared/errors';
import { DocentError } from '../errors.ts';
import { newId } from '../ids.ts';

const lingerMs = 1_000;
/**
 * How many connections may wait to be accepted: the maximum of Linux. With Node's 511, an overloaded
 * service resets some of a thousand readers who come at once.
 */
const backlog = 4_096;

/** Serves the app. Rejects when the port can't be used. */
export async function listen(
  app: RequestListener,
  { port, host }: { port: number; host: string },
  /** Tests shorten them. */
  timeouts: ServerOptions = {},
) {
  let isStopping = false;
  const server = createServer(timeouts, (request, response) => {
    if (isStopping) response.setHeader('Connection', 'close');
    app(request, response);
  });
  // Longer than the 60 s that most proxies and clients keep connections open: if the server closes
  // first, a request that is on its way is lost.
  server.keepAliveTimeout = 75_000;
  refuseBrokenHttp(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(explain(cause, { port, host })));
    server.listen({ port, host, backlog }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  /** Accepts no more connections, and tells clients to close theirs. */
  const stopAccepting = (): void => {
    if (isStopping) return;
    isStopping = true;
    server.close();
    server.closeIdleConnections();
  };

  return {
    port: (server.address() as AddressInfo).port,
    stopAccepting,
    async close(): Promise<void> {
      stopAccepting();
      const cut = setTimeout(() => server.closeAllConnections(), lingerMs);
      server.closeIdleConnections();
      await closed;
      clearTimeout(cut);
    },
  };
}

function explain(
  cause: NodeJS.ErrnoException,
  { port, host }: { port: number; host: string },
): Error {
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is in use. Stop the program that uses it, or set another \`server.port\`.`,
    EACCES: `This user may not open port ${port}. Set a \`server.port\` of 1024 or more, with a proxy in front of it if necessary.`,
    EADDRNOTAVAIL: `This machine does not have the address ${host}. Set another \`server.host\`.`,
    ENOTFOUND: `This machine does not know the host ${host}. Set another \`server.host\`.`,
  };
  const sentence =
    sentences[cause.code ?? ''] ??
    `Port ${port} of ${host} can't be opened (${cause.code ?? cause.message}).`;
  return new DocentError('conflict', sentence, { cause });
}

/** By the code that Node.js gives a request that it refuses. */
const brokenHttp: Record<string, readonly [code: ErrorCode, sentence: string]> = {
  HPE_HEADER_OVERFLOW: ['too_large', 'The headers of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
};
const notHttp = ['bad_request', 'The request is not valid HTTP.'] as const;

/** Gives requests that Node.js refuses the shape of our errors. */
function refuseBrokenHttp(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return;
    const [code, sentence] = brokenHttp[error.code ?? ''] ?? notHttp;
    const requestId = newId();
    const body = JSON.stringify({ error: sentence, code, requestId });
    const { status } = errorTable[code];
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'X-Content-Type-Options: nosniff',
      `X-Request-Id: ${requestId}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}
