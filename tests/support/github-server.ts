/**
 * GitHub as far as Docent asks it: the REST calls and `git fetch` over HTTP, with a real repository on
 * disk behind it, its refusals in its own words, and faults that happen before or after the effect.
 * Its address has the form of GitHub Enterprise Server (`/api/v3`); the paths of api.github.com answer too.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FileInput, makeRepository } from './docs-repository.ts';
import { assertMay, createAccess, maySee, type Permissions, type Token } from './github/access.ts';
import { createAppPages } from './github/app-pages.ts';
import { type Answer, type Asked, notFound, ok, Refusal } from './github/answers.ts';
import { type ArmedFault, createFaults, type Fault } from './github/faults.ts';
import { gitDataRoute } from './github/git-data.ts';
import { changeDraft, pullsRoute } from './github/pulls.ts';
import { createHostedRepository, type HostedRepository } from './github/repository.ts';
import { answerSmart, readSmartPath, type SmartRequest } from './smart-http.ts';

export { primaryLimit, secondaryLimit } from './github/faults.ts';
export type { HostedRepository } from './github/repository.ts';

/** A request that the server saw. */
export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type GitHubServer = Awaited<ReturnType<typeof startGitHubServer>>;

export async function startGitHubServer(options: { now?: () => number } = {}) {
  const now = options.now ?? Date.now;
  const repositories = new Map<string, HostedRepository>();
  const access = createAccess(now);
  const faults = createFaults();
  const requests: SeenRequest[] = [];

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      process.stderr.write(`GitHub server of the tests: ${String(error)}\n`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  const appPages = createAppPages({
    url,
    addApp: (input) => access.addApp(input),
    repositories: () => [...repositories.values()].map(({ name }) => name),
  });
  const find = (name: string) => repositories.get(name.toLowerCase());

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = new URL(request.url ?? '/', url);
    const smart = readSmartPath(address.pathname, address.searchParams);
    if (smart) {
      await answerGit(smart, request, response);
      return;
    }
    const [, log] = /^\/logs\/(\d+)$/.exec(address.pathname) ?? [];
    if (log !== undefined) {
      sendLog(Number(log), request, response);
      return;
    }
    const body = await readAll(request);
    const method = request.method ?? 'GET';
    const page = appPages.page(method, address, body);
    if (page) {
      if ('to' in page) response.writeHead(302, { location: page.to }).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end(page.html);
      return;
    }
    const path = decodeURIComponent(address.pathname).replace(/^\/api(\/v3)?(?=\/)/, '');
    requests.push({ method, path, headers: request.headers, body });
    const fault = faults.take(method, path);
    const asked: Asked = {
      method,
      path,
      query: address.searchParams,
      body: body === '' ? {} : (JSON.parse(body) as Record<string, unknown>),
      headers: request.headers,
    };
    const right = fault?.when === 'before' && fault.answer ? undefined : await perform(asked);
    await fault?.gate;
    const said = saidBy(fault) ?? right;
    if (said === undefined || fault?.answer === 'cut') request.socket.destroy();
    else send(response, said);
  }

  /** Logs are at a host of their own, which takes no token. */
  function sendLog(id: number, { headers }: IncomingMessage, response: ServerResponse): void {
    const checks = [...repositories.values()].flatMap(({ conversation }) => conversation.checks);
    const check = checks.find((one) => one.id === id);
    response.writeHead(check && headers.authorization === undefined ? 200 : 403);
    response.end(check?.log);
  }

  async function perform(asked: Asked): Promise<Answer> {
    try {
      return await route(asked);
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      throw error;
    }
  }

  async function route(asked: Asked): Promise<Answer> {
    const { method, path } = asked;
    const forApp = appPages.convert(asked) ?? access.appRoute(asked);
    if (forApp) return forApp;
    const token = access.read(asked.headers['authorization'] as string | undefined);
    if (method === 'POST' && path === '/graphql') {
      const change = changeDraft(asked, repositories.values());
      if (!change) throw notFound();
      assertMay(token, change.repository, 'pull_requests', 'write');
      return change.apply();
    }
    const account = accountRoute(path, token);
    if (account) return account;
    const [, name = '', rest = ''] = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(path) ?? [];
    const repository = find(name);
    if (!repository || !token || !maySee(token, name)) throw notFound();
    if (repository.renamedTo !== undefined) {
      const to = `${url}/api/v3/repos/${repository.renamedTo}${rest}`;
      return { status: 301, headers: { location: to }, body: { message: 'Moved Permanently' } };
    }
    if (method === 'GET' && rest === '') {
      const { contents } = token.permissions;
      return ok({
        full_name: repository.name,
        default_branch: repository.defaultBranch,
        private: repository.isPrivate,
        archived: repository.isArchived,
        html_url: `${url}/${repository.name}`,
        permissions: { pull: contents !== undefined, push: contents === 'write' },
      });
    }
    if (method !== 'GET' && repository.isArchived) {
      throw new Refusal(403, 'Repository was archived so is read-only.');
    }
    const said = repository.conversation.route(asked, rest, url);
    if (said) {
      if (method !== 'GET') assertMay(token, name, 'pull_requests', 'write');
      // An App needs the permission for what it reads; people's tokens can't be told apart here.
      else if (token.isApp && rest.endsWith('/check-runs'))
        assertMay(token, name, 'checks', 'read');
      else if (token.isApp && rest.endsWith('/status')) assertMay(token, name, 'statuses', 'read');
      return said;
    }
    const isPulls = rest.startsWith('/pulls');
    assertMay(
      token,
      name,
      isPulls ? 'pull_requests' : 'contents',
      method === 'GET' ? 'read' : 'write',
    );
    const found = isPulls
      ? await pullsRoute(asked, repository, rest, url)
      : await gitDataRoute(asked, repository, rest);
    if (!found) throw notFound();
    return found;
  }

  /** What a token may know of itself: "Get the authenticated user", and the lists of its repositories. */
  function accountRoute(path: string, token: Token | undefined): Answer | undefined {
    const own = ['/user', '/user/repos', '/installation/repositories', '/rate_limit'];
    if (!own.includes(path)) return undefined;
    if (!token) throw new Refusal(401, 'Requires authentication');
    if (path === '/rate_limit') {
      const core = {
        limit: 5000,
        remaining: 4990,
        used: 10,
        reset: Math.ceil(now() / 1000) + 3600,
      };
      return ok({ resources: { core }, rate: core });
    }
    if ((path === '/installation/repositories') !== (token.isApp === true)) {
      throw new Refusal(403, 'Resource not accessible by integration');
    }
    if (path === '/user') return ok({ login: 'docs-bot', id: 7 });
    const seen = [...repositories.values()]
      .filter((one) => maySee(token, one.name))
      .map((one) => ({
        full_name: one.name,
        html_url: `${url}/${one.name}`,
        archived: one.isArchived,
        private: one.isPrivate,
        // The rights of the person; those of a token aren't told here.
        permissions: { pull: true, push: true },
      }));
    return ok(path === '/user/repos' ? seen : { total_count: seen.length, repositories: seen });
  }

  async function answerGit(
    smart: SmartRequest,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (smart.service === 'receive-pack') throw new Error('A test saw a push by git');
    const { method = 'GET', headers } = request;
    requests.push({ method, path: request.url ?? '', headers, body: '' });
    const fault = faults.take('git', request.url ?? '');
    await fault?.gate;
    if (fault?.answer === 'cut') {
      request.socket.destroy();
      return;
    }
    const said = saidBy(fault);
    if (said) {
      send(response, said);
      return;
    }
    const repository = find(smart.name);
    try {
      const token = access.read(headers.authorization);
      if (!repository) throw notFound();
      if (repository.isPrivate) {
        if (!token) throw new Refusal(401, 'Unauthorized');
        assertMay(token, smart.name, 'contents', 'read');
      }
      const moved = repository.renamedTo;
      if (moved !== undefined) {
        response.writeHead(301, {
          location: `${url}/${moved}.git/info/refs?service=git-upload-pack`,
        });
        response.end();
        return;
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      send(response, error.answer);
      return;
    }
    await answerSmart(repository.docs.path, smart, request, response);
  }

  return {
    url,
    /** The address of a repository as a project names it. */
    repositoryUrl: (name: string) => `${url}/${name}`,
    requests,
    minted: access.minted,

    /** A repository of its own, gone with the server. */
    async addRepository(name: string, files: Record<string, FileInput>): Promise<HostedRepository> {
      const hosted = createHostedRepository(name, await makeRepository(files));
      repositories.set(name.toLowerCase(), hosted);
      return hosted;
    },

    repository(name: string): HostedRepository {
      const found = find(name);
      if (found) return found;
      throw new Error(`There is no repository ${name}`);
    },

    removeRepository(name: string): void {
      repositories.delete(name.toLowerCase());
    },

    /** A personal access token; it may read and write contents and pull requests where nothing else is said. */
    addToken(
      token: string,
      {
        permissions,
        repositories: only,
      }: { permissions?: Permissions; repositories?: string[] } = {},
    ): void {
      access.tokens.set(token, {
        permissions: permissions ?? { contents: 'write', pull_requests: 'write' },
        repositories: only,
      });
    },

    revokeToken: (token: string) => access.tokens.delete(token),
    /** Apps that people made in the browser. */
    appPages,
    addApp: (input: Parameters<typeof access.addApp>[0]) => access.addApp(input),

    /** Makes requests go wrong; gives back what counts how often it happened. */
    fail: (fault: Fault): ArmedFault => faults.arm(fault),

    /** How often something was asked for. */
    count: (method: string, path: string) =>
      requests.filter((one) => one.method === method && one.path.endsWith(path)).length,

    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      for (const { docs } of repositories.values()) await docs[Symbol.asyncDispose]();
    },
  };
}

function saidBy(fault: ArmedFault | undefined): Answer | undefined {
  if (!fault?.answer || fault.answer === 'cut') return undefined;
  const { message = 'Server Error', body = { message }, ...rest } = fault.answer;
  return { ...rest, body };
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-github-request-id': 'TEST:1',
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': '4990',
    ...headers,
  });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
