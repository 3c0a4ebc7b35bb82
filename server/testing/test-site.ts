/** A website for tests: pages by path, and a list of all requests. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TestPage {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export type TestPages = Record<
  string,
  TestPage | string | ((request: IncomingMessage) => TestPage)
>;

/** `pages` may change while it runs. A string is HTML; other paths return 404. */
export async function startTestSite(pages: TestPages = {}, listener?: RequestListener) {
  const requests: { path: string; status: number; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer(
    listener ??
      ((request, response) => {
        const path = request.url ?? '/';
        const found = pages[path] ?? { status: 404, body: 'Not here' };
        const page = typeof found === 'function' ? found(request) : found;
        const {
          status = 200,
          headers = {},
          body = '',
        } = typeof page === 'string' ? { body: page } : page;
        const same =
          (headers['ETag'] !== undefined && request.headers['if-none-match'] === headers['ETag']) ||
          (headers['Last-Modified'] !== undefined &&
            request.headers['if-modified-since'] === headers['Last-Modified']);
        const code = same && status === 200 ? 304 : status;
        requests.push({ path, status: code, headers: request.headers });
        response.writeHead(code, { 'Content-Type': typeOf(path), ...headers });
        response.end(code === 304 ? undefined : body);
      }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    pages,
    requests,
    port,
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    /** Returns the paths whose body was sent since the last call. */
    bodies(): string[] {
      const sent = requests.filter(({ status }) => status === 200).map(({ path }) => path);
      requests.length = 0;
      return sent.toSorted();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type TestSite = Awaited<ReturnType<typeof startTestSite>>;

function typeOf(path: string): string {
  if (/\.xml(\.gz)?$/.test(path)) return 'application/xml';
  if (path.endsWith('.md')) return 'text/markdown; charset=utf-8';
  return path.endsWith('.txt') ? 'text/plain; charset=utf-8' : 'text/html; charset=utf-8';
}

/** Returns a page as a generator builds it, with navigation around the text. */
export function htmlPage(title: string, main: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><title>${title} | Acme</title>${head}</head><body>
<header><a href="/">Acme</a></header><nav><a href="/">Home</a></nav>
<main><article><h1>${title}</h1>${main}</article></main><footer>© Acme</footer></body></html>`;
}
