/**
 * Gitea and Forgejo as far as Docent asks them. The comments name the files of `go-gitea/gitea` (1.25) that a
 * behavior follows; Forgejo's are the same where nothing else is said. The answers were compared with those
 * of a real Gitea 1.25.4, and those about labels and reviewers with those of 1.26.0.
 */
import { giteaConversation } from './conversation.ts';
import {
  followHead,
  type ForgeFlavor,
  type ForgePull,
  ForgeRefusal,
  type ForgeRepository,
  type ForgeRequest,
  type ForgeServerOptions,
  type ForgeState,
  mergePull,
  type Reply,
  startForgeServer,
  textOf,
} from './server.ts';

/** services/context/api.go: `APIError` has a message and the address of the documentation. */
const refuse = (status: number, message: string) =>
  new ForgeRefusal(status, { message, url: 'http://host/api/swagger' });
const notFound = () =>
  new ForgeRefusal(404, { errors: null, message: 'not found', url: 'http://host/api/swagger' });

/** Most servers allow 50 (`MAX_RESPONSE_ITEMS` in modules/setting/api.go). */
const maxItems = 50;

export const startGiteaServer = (
  options: ForgeServerOptions & { version?: string; maxItems?: number } = {},
) => {
  const flavor: ForgeFlavor = {
    apiRoot: '/api/v1',
    // routers/api/v1/api.go: `reqToken`.
    unauthorized: { status: 401, body: { message: 'user does not exist [uid: 0, name: ]' } },
    serve: (request, forge) => serve(request, forge, options),
    refuseGit({ repository, isPush, token }) {
      // routers/web/repo/githttp.go: in this order, in plain text.
      if (isPush && repository.isArchived) return { status: 403, body: 'This repo is archived.' };
      const level = isPush ? 'write' : 'read';
      if (!hasScope(token?.scopes ?? [], `${level}:repository`)) return { status: 403 };
      if (!repository.hasFiles) return { status: 403 };
      if (isPush && repository.isMirror) {
        return { status: 403, body: 'mirror repository is read-only' };
      }
      return undefined;
    },
  };
  return startForgeServer(flavor, options);
};

/** models/auth/access_token_scope.go: `write` includes `read`. */
const hasScope = (scopes: readonly string[], scope: string) =>
  scopes.includes(scope) || scopes.includes(scope.replace('read:', 'write:'));

async function serve(
  request: ForgeRequest,
  forge: ForgeState,
  options: { version?: string; maxItems?: number },
): Promise<Reply> {
  const { method, path, body, token } = request;
  const [first, owner = '', name = '', ...rest] = path;
  if (first === 'version') {
    return { status: 200, body: { version: options.version ?? '1.25.4' } };
  }
  const level = method === 'GET' ? 'read' : 'write';
  // routers/api/v1/api.go: `tokenRequiresScopes` comes before everything else.
  const category = ['issues', 'labels'].includes(rest[0] ?? '') ? 'issue' : 'repository';
  const needed = first === 'user' && owner === '' ? 'read:user' : `${level}:${category}`;
  if (!hasScope(token?.scopes ?? [], needed)) {
    throw refuse(
      403,
      `token does not have at least one of required scope(s), required=[${needed}], token scope=${token?.scopes.join(',')}`,
    );
  }
  if (first === 'user' && owner === 'repos' && method === 'POST') {
    const made = await forge.add(`docs-bot/${String(body['name'])}`);
    return { status: 201, body: await showRepository(made, forge, true) };
  }
  if (first === 'user' && owner === 'repos') {
    const own = [...forge.repositories.values()];
    return {
      status: 200,
      body: await Promise.all(
        own.map(async (one) => ({
          ...(await showRepository(one, forge, token?.may === 'write')),
          name: one.path.split('/')[1],
        })),
      ),
    };
  }
  if (first === 'user') {
    return {
      status: 200,
      body: { id: 7, login: 'docs-bot', full_name: 'Docs Bot', email: 'docs-bot@acme.test' },
    };
  }
  const repository = first === 'repos' ? forge.repositories.get(`${owner}/${name}`) : undefined;
  if (!repository) throw notFound();
  const [part, ...below] = rest;
  if (part === undefined) return settings(request, repository, forge);
  if (part === 'branches') {
    const tip = await repository.docs.tip(below.join('/'));
    if (tip === undefined) throw notFound();
    return { status: 200, body: { name: below.join('/'), commit: { id: tip } } };
  }
  const said = giteaConversation(request, repository, rest);
  if (said) return said;
  if (part !== 'pulls') throw notFound();
  // routers/api/v1/api.go: `mustAllowPulls` hides what is switched off, and what it takes for empty.
  if (!repository.hasPulls || repository.saysEmpty) throw notFound();
  return pulls(request, repository, forge, below, options.maxItems ?? maxItems);
}

async function settings(
  { method, body, token }: ForgeRequest,
  repository: ForgeRepository,
  forge: ForgeState,
): Promise<Reply> {
  if (method === 'DELETE') {
    forge.repositories.delete(repository.path);
    return { status: 204 };
  }
  if (method === 'PATCH') {
    if (typeof body['default_branch'] === 'string')
      repository.defaultBranch = body['default_branch'];
    if (typeof body['archived'] === 'boolean') repository.isArchived = body['archived'];
    if (typeof body['has_pull_requests'] === 'boolean') {
      repository.hasPulls = body['has_pull_requests'];
    }
  }
  return { status: 200, body: await showRepository(repository, forge, token?.may === 'write') };
}

/** modules/structs/repo.go */
async function showRepository(repository: ForgeRepository, forge: ForgeState, mayPush: boolean) {
  const { path, docs } = repository;
  return {
    full_name: path,
    html_url: `${forge.url}/${path}`,
    // `ROOT_URL` of the server, which need not be the address that people use.
    clone_url: `http://elsewhere.example/${path}.git`,
    default_branch: repository.defaultBranch,
    archived: repository.isArchived,
    // services/repository/push.go: it's told by a queue, after the push.
    empty: repository.saysEmpty || (await docs.branches()).length === 0,
    mirror: repository.isMirror,
    has_code: repository.hasFiles,
    has_pull_requests: repository.hasPulls,
    permissions: { admin: mayPush, push: mayPush, pull: true },
  };
}

async function pulls(
  { method, query, body, token }: ForgeRequest,
  repository: ForgeRepository,
  forge: ForgeState,
  [number, action]: string[],
  limit: number,
): Promise<Reply> {
  if (number === undefined && method === 'GET') {
    const state = query.get('state') ?? 'open';
    const found = repository.pulls
      .filter((one) => state === 'all' || (one.state === 'open') === (state === 'open'))
      .toSorted((one, other) => other.updated - one.updated);
    const size = Math.min(Number(query.get('limit') ?? 30), limit);
    const page = Number(query.get('page') ?? 1);
    const shown = found.slice((page - 1) * size, page * size);
    return {
      status: 200,
      body: await Promise.all(shown.map((one) => show(one, repository, forge))),
      // services/context/api.go: `SetLinkHeader`.
      headers: {
        'x-total-count': String(found.length),
        ...(page * size < found.length && {
          link: `<${forge.url}/api/v1/x?page=${page + 1}>; rel="next"`,
        }),
      },
    };
  }
  if (number === undefined && method === 'POST') {
    // routers/api/v1/api.go: `mustNotBeArchived`.
    if (repository.isArchived) throw refuse(423, `${repository.path} is archived`);
    return { status: 201, body: await show(await create(body, repository), repository, forge) };
  }
  // models/issues/pull.go: there is none below 1.
  const pull = repository.pulls.find((one) => one.number === Number(number));
  if (!pull) throw notFound();
  if (action === 'merge') return merge(body, pull, repository);
  if (method === 'PATCH') {
    // routers/api/v1/repo/pull.go, `EditPullRequest`: no body, and 201 afterwards.
    if (token?.may !== 'write') return { status: 403 };
    if (typeof body['title'] === 'string' && body['title'] !== '') pull.title = body['title'];
    if (typeof body['body'] === 'string') pull.body = body['body'];
    if (body['state'] === 'closed') {
      if (pull.state === 'merged') throw refuse(412, 'cannot change state of this pull request');
      pull.state = 'closed';
      pull.endedAt = '2026-11-21T12:00:00Z';
    }
    touch(pull);
    return { status: 201, body: await show(pull, repository, forge) };
  }
  return { status: 200, body: await show(pull, repository, forge) };
}

let updates = 0;
const touch = (pull: ForgePull) => (pull.updated = updates += 1);

/** routers/api/v1/repo/pull.go: `CreatePullRequest`. It doesn't mind that there is nothing to merge. */
async function create(
  body: Record<string, unknown>,
  { docs, pulls: all }: ForgeRepository,
): Promise<ForgePull> {
  const { head, base, title } = body as Record<string, string>;
  if (!head || !base || !title) throw refuse(422, '[Head]: Required');
  if (head === base) {
    throw refuse(422, 'Invalid PullRequest: There are no changes between the head and the base');
  }
  const headCommit = await docs.tip(head);
  if (headCommit === undefined || (await docs.tip(base)) === undefined) throw notFound();
  const known = all.find((one) => one.branch === head && one.base === base && one.state === 'open');
  if (known) {
    throw refuse(
      409,
      `pull request already exists for these targets [id: ${known.number}, issue_id: ${known.number}, head_repo_id: 1, base_repo_id: 1, head_branch: ${head}, base_branch: ${base}]`,
    );
  }
  const pull: ForgePull = {
    number: all.length + 1,
    title,
    body: textOf(body, 'body'),
    branch: head,
    base,
    state: 'open',
    endedAt: undefined,
    headCommit,
    updated: 0,
    mergeAsked: 0,
  };
  touch(pull);
  all.push(pull);
  return pull;
}

/** routers/api/v1/repo/pull.go: `MergePullRequest` answers 405 until it knows whether it can be merged. */
async function merge(
  body: Record<string, unknown>,
  pull: ForgePull,
  repository: ForgeRepository,
): Promise<Reply> {
  if (pull.state === 'closed') throw notFound();
  if (pull.state === 'merged') throw refuse(405, 'The PR is already merged');
  if (isDraft(pull.title)) throw refuse(405, 'Work in progress PRs cannot be merged');
  pull.mergeAsked += 1;
  if (pull.mergeAsked === 1) throw refuse(405, 'Please try again later');
  const deleteBranch = body['delete_branch_after_merge'] === true;
  const commit = await mergePull(pull, repository, { deleteBranch });
  if (commit === undefined) throw new ForgeRefusal(409, { Style: 'merge' });
  touch(pull);
  return { status: 200 };
}

/** modules/setting/repository.go: `WORK_IN_PROGRESS_PREFIXES`, in any case. */
const isDraft = (title: string) => /^(wip:|\[wip\])/i.test(title);

/** services/convert/pull.go */
async function show(pull: ForgePull, repository: ForgeRepository, forge: ForgeState) {
  const { docs, path } = repository;
  const hidden = `refs/pull/${pull.number}/head`;
  const sha = await followHead(pull, repository, hidden);
  const isThere = (await docs.tip(pull.branch)) !== undefined;
  const isMerged = pull.state === 'merged';
  return {
    number: pull.number,
    html_url: `${forge.url}/${path}/pulls/${pull.number}`,
    title: pull.title,
    body: pull.body,
    state: pull.state === 'open' ? 'open' : 'closed',
    draft: isDraft(pull.title),
    labels: [],
    merged: isMerged,
    merged_at: isMerged ? pull.endedAt : null,
    closed_at: pull.endedAt ?? null,
    head: { label: pull.branch, ref: isThere ? pull.branch : hidden, sha, repo_id: repository.id },
    base: {
      label: pull.base,
      ref: pull.base,
      sha: (await docs.tip(pull.base)) ?? '',
      repo_id: repository.id,
    },
  };
}
