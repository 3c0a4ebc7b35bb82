/**
 * What the small servers of forges share: an address that may be below a path and behind TLS, tokens,
 * repositories with git's own HTTP backend behind them, and faults.
 */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type DocsRepository, type FileInput, makeRepository } from '../docs-repository.ts';
import { type ArmedFault, createFaults, type Fault } from '../github/faults.ts';
import { readRef, writeRef } from '../read-ref.ts';
import { answerSmart, readSmartPath } from '../smart-http.ts';

export interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Ends a request with a refusal. */
export class ForgeRefusal extends Error {
  readonly reply: Reply;

  constructor(status: number, body: unknown) {
    super(JSON.stringify(body));
    this.reply = { status, body };
  }
}

export interface ForgeToken {
  /** Of the forge, such as `write:repository` or `api`. */
  scopes: readonly string[];
  /** What its account may do in repositories. */
  may: 'read' | 'write';
}

export interface ForgePull {
  number: number;
  title: string;
  body: string;
  branch: string;
  base: string;
  state: 'open' | 'closed' | 'merged';
  endedAt: string | undefined;
  /** Of the branch, last seen. */
  headCommit: string;
  updated: number;
  /** How often it was asked whether it can be merged: the answer comes later than the question. */
  mergeAsked: number;
}

/** A repository with the switches of its settings page. */
export interface ForgeRepository {
  id: number;
  /** `owner/name`; at GitLab, the owner may have several names. */
  path: string;
  docs: DocsRepository;
  defaultBranch: string;
  isArchived: boolean;
  isMirror: boolean;
  hasFiles: boolean;
  hasPulls: boolean;
  /** Whether it still says that it's empty, just after the first push. */
  saysEmpty: boolean;
  pulls: ForgePull[];
  /** Branches that nobody may push to, by the first letters of their names, and what a push is told. */
  restrict(prefix: string, words: string): Promise<void>;
}

export interface ForgeRequest {
  method: string;
  /** Below the root of the API; its parts are decoded. */
  path: string[];
  query: URLSearchParams;
  body: Record<string, unknown>;
  token: ForgeToken | undefined;
}

export interface ForgeFlavor {
  /** `/api/v1` */
  apiRoot: string;
  unauthorized: Reply;
  serve(request: ForgeRequest, forge: ForgeState): Promise<Reply>;
  /** Why git may not do this; `undefined`: it may. */
  refuseGit(asked: {
    repository: ForgeRepository;
    isPush: boolean;
    token: ForgeToken | undefined;
  }): Reply | undefined;
}

export interface ForgeState {
  /** Its address, without a slash at its end. */
  url: string;
  repositories: Map<string, ForgeRepository>;
  add(path: string, files?: Record<string, FileInput>): Promise<ForgeRepository>;
}

export interface ForgeServerOptions {
  /** `/git`: where a proxy serves it. */
  below?: string;
  tls?: { key: string; cert: string };
}

export type ForgeServer = Awaited<ReturnType<typeof startForgeServer>>;

export async function startForgeServer(flavor: ForgeFlavor, options: ForgeServerOptions = {}) {
  const { below = '', tls } = options;
  const tokens = new Map<string, ForgeToken>();
  const faults = createFaults();
  const requests: { method: string; path: string; authorization: string; body: string }[] = [];
  const state: ForgeState = { url: '', repositories: new Map(), add };

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch((error: unknown) => {
      process.stderr.write(`Forge server of the tests: ${String(error)}\n`);
      response.destroy();
    });
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  state.url = `${tls ? 'https' : 'http'}://127.0.0.1:${port}${below}`;

  async function add(path: string, files: Record<string, FileInput> = {}) {
    const docs = await makeRepository(files);
    const repository: ForgeRepository = {
      id: state.repositories.size + 1,
      path,
      docs,
      defaultBranch: 'main',
      isArchived: false,
      isMirror: false,
      hasFiles: true,
      hasPulls: true,
      saysEmpty: false,
      pulls: [],
      restrict: (prefix, words) => restrict(docs.path, prefix, words),
    };
    state.repositories.set(path, repository);
    return repository;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', headers } = request;
    const address = new URL(request.url ?? '/', 'http://host');
    const authorization = headers.authorization ?? '';
    const token = tokens.get(secretIn(authorization));
    if (!address.pathname.startsWith(`${below}/`)) {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>');
      return;
    }
    const path = address.pathname.slice(below.length);
    const smart = readSmartPath(path, address.searchParams);
    if (smart) {
      requests.push({ method, path, authorization, body: '' });
      const fault = faults.take('git', path);
      await fault?.gate;
      if (fault?.answer === 'cut') return void request.socket.destroy();
      if (fault?.answer) return send(response, fault.answer);
      const isPush = smart.service === 'receive-pack';
      const repository = state.repositories.get(smart.name);
      const refusal =
        token === undefined
          ? { status: 401, headers: { 'www-authenticate': 'Basic realm="forge"' } }
          : repository === undefined
            ? { status: 404 }
            : flavor.refuseGit({ repository, isPush, token });
      if (refusal || !repository) return send(response, refusal ?? { status: 404 });
      return answerSmart(repository.docs.path, smart, request, response);
    }
    const body = await readAll(request);
    const api = path.startsWith(`${flavor.apiRoot}/`) ? path.slice(flavor.apiRoot.length) : '';
    requests.push({ method, path: api, authorization, body });
    const fault = faults.take(method, api);
    await fault?.gate;
    const right =
      fault?.when === 'before' && fault.answer
        ? undefined
        : await perform({
            method,
            path: api.split('/').slice(1).map(decodeURIComponent),
            query: address.searchParams,
            body: body === '' ? {} : (JSON.parse(body) as Record<string, unknown>),
            token,
          });
    if (fault?.answer === 'cut') return void request.socket.destroy();
    send(response, fault?.answer ? saidBy(fault.answer) : (right ?? { status: 404 }));
  }

  async function perform(asked: ForgeRequest): Promise<Reply> {
    if (!asked.token) return flavor.unauthorized;
    try {
      return await flavor.serve(asked, state);
    } catch (error) {
      if (error instanceof ForgeRefusal) return error.reply;
      throw error;
    }
  }

  return {
    /** Its address, without a slash at its end. */
    url: state.url,
    requests,
    repositories: state.repositories,
    addRepository: add,
    addToken: (secret: string, token: ForgeToken) => void tokens.set(secret, token),
    revokeToken: (secret: string) => tokens.delete(secret),
    fail: (fault: Fault): ArmedFault => faults.arm(fault),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      for (const { docs } of state.repositories.values()) await docs[Symbol.asyncDispose]();
    },
  };
}

function saidBy(answer: Exclude<Fault['answer'], 'cut' | undefined>): Reply {
  const { message = 'Server Error', body = { message }, ...rest } = answer;
  return { ...rest, body };
}

/** The commit of a pull request: its branch's, or the last one where the branch is gone. */
export async function followHead(pull: ForgePull, { docs }: ForgeRepository, kept: string) {
  if (pull.state === 'open') {
    pull.headCommit = (await docs.tip(pull.branch)) ?? pull.headCommit;
    if ((await readRef(docs.path, kept)) !== pull.headCommit) {
      await writeRef(docs.path, kept, pull.headCommit);
    }
  }
  return pull.headCommit;
}

/** Merges as the green button does. `undefined`: there are conflicts. */
export async function mergePull(
  pull: ForgePull,
  { docs }: ForgeRepository,
  { deleteBranch }: { deleteBranch: boolean },
): Promise<string | undefined> {
  const base = (await docs.tip(pull.base)) ?? '';
  const head = (await docs.tip(pull.branch)) ?? pull.headCommit;
  pull.headCommit = head;
  const tree = await docs.git('merge-tree', '--write-tree', base, head).catch(() => undefined);
  if (tree === undefined) return undefined;
  const dana = ['-c', 'user.name=Dana Docs', '-c', 'user.email=dana@docs.example'];
  const message = `Merge #${pull.number}`;
  const commit = await docs.git(
    ...dana,
    'commit-tree',
    tree,
    '-p',
    base,
    '-p',
    head,
    '-m',
    message,
  );
  await docs.git('update-ref', `refs/heads/${pull.base}`, commit);
  pull.state = 'merged';
  pull.endedAt = '2026-11-21T12:00:00Z';
  if (deleteBranch) await docs.git('update-ref', '-d', `refs/heads/${pull.branch}`);
  return commit;
}

/** As forges do it: a hook that git runs before it moves a branch. */
async function restrict(path: string, prefix: string, words: string): Promise<void> {
  await mkdir(join(path, 'hooks'), { recursive: true });
  await writeFile(join(path, 'restricted'), `${prefix}\n`);
  await writeFile(join(path, 'refusal'), `${words}\n`);
  const hook = join(path, 'hooks', 'pre-receive');
  await writeFile(
    hook,
    `#!/bin/sh
read -r prefix < restricted
while read -r old new ref; do
  case "$ref" in "refs/heads/$prefix"*) cat refusal >&2; exit 1 ;; esac
done
`,
  );
  await chmod(hook, 0o755);
}

/** From `token …`, `Bearer …`, or the password of git. */
function secretIn(authorization: string): string {
  const [kind = '', value = ''] = authorization.split(' ');
  if (kind.toLowerCase() !== 'basic') return value;
  return Buffer.from(value, 'base64').toString().split(':').slice(1).join(':');
}

function send(response: ServerResponse, { status, body, headers }: Reply): void {
  const own = { 'content-type': 'application/json;charset=utf-8', ...headers };
  response.writeHead(status, own);
  const isText = own['content-type'].startsWith('text/');
  response.end(isText || body === undefined ? body : JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** A text of a body; empty where there is none. */
export function textOf(body: Record<string, unknown>, field: string): string {
  const value = body[field];
  return typeof value === 'string' ? value : '';
}
