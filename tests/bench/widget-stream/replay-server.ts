/** One answer, replayed at a fixed pace in the words of each widget's own protocol. */
import { createReadStream, existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** How an answer is written: what comes before it, around each piece, and after it. */
export interface Wire {
  type: string;
  headers?: Record<string, string>;
  begin?: string;
  piece: (text: string) => string;
  end?: string;
}

export interface Route {
  method?: string;
  path: RegExp;
  /** Answers at once with JSON; or streams the answer in this wire. */
  json?: unknown;
  wire?: Wire;
}

export interface Replay {
  pieces: string[];
  everyMs: number;
  /** Before these pieces the answer waits until `goOn` is called: for what a reader does meanwhile. */
  stops?: number[];
}

const types: Record<string, string> = {
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
};

export type ReplayServer = Awaited<ReturnType<typeof startReplayServer>>;

export async function startReplayServer() {
  const pages = new Map<string, string>();
  const folders = new Map<string, string>();
  const routes: Route[] = [];
  const unknown: string[] = [];
  let replay: Replay = { pieces: [], everyMs: 0 };
  let finished = Promise.withResolvers<void>();
  let isOver = false;
  let held: PromiseWithResolvers<void> | undefined;

  async function stream(response: ServerResponse, wire: Wire): Promise<void> {
    response.socket?.setNoDelay(true);
    response.writeHead(200, {
      'content-type': wire.type,
      'cache-control': 'no-cache',
      ...wire.headers,
    });
    if (wire.begin) response.write(wire.begin);
    const { pieces, everyMs, stops = [] } = replay;
    let begun = performance.now();
    for (const [index, piece] of pieces.entries()) {
      if (stops.includes(index)) {
        held = Promise.withResolvers();
        await held.promise;
        begun = performance.now() - index * everyMs;
      }
      // By the clock, not by the gap: what one write was late, the next one makes up for.
      const wait = begun + index * everyMs - performance.now();
      if (wait > 0) await pause(wait);
      response.write(wire.piece(piece));
    }
    response.end(wire.end ?? '');
    finished.resolve();
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? '/', 'http://replay');
    const page = pages.get(pathname);
    if (page !== undefined) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
      return;
    }
    for (const [prefix, folder] of folders) {
      if (!pathname.startsWith(prefix)) continue;
      const file = join(folder, normalize(pathname.slice(prefix.length)));
      if (!existsSync(file)) continue;
      response.writeHead(200, { 'content-type': types[extname(file)] ?? 'text/plain' });
      createReadStream(file).pipe(response);
      return;
    }
    const route = routes.find(
      ({ method, path }) => path.test(pathname) && (!method || method === request.method),
    );
    request.resume();
    if (route?.wire) void stream(response, route.wire);
    else if (route) {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(route.json));
    } else {
      if (pathname !== '/favicon.ico') unknown.push(`${request.method} ${pathname}`);
      response.writeHead(404).end();
    }
  }

  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What was asked for and is not served: helps when a widget stays silent. */
    unknown,
    routes,
    putPage: (path: string, html: string) => void pages.set(path, html),
    putFolder: (prefix: string, folder: string) => void folders.set(prefix, folder),
    /** Sets what the next answer is; the promise settles once its last byte is sent. */
    load(next: Replay): Promise<void> {
      replay = next;
      held = undefined;
      finished = Promise.withResolvers<void>();
      return finished.promise;
    },
    /** Settles when the answer waits at one of its stops. */
    async isHeld(): Promise<void> {
      while (!held && !isOver) await pause(5);
    },
    goOn(): void {
      held?.resolve();
      held = undefined;
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
