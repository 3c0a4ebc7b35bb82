/**
 * GitLab as far as Docent asks it. The comments name the files of `gitlabhq/gitlabhq`, or the pages of its API
 * documentation (`doc/api`), that a behavior follows. No real GitLab took part.
 */
import { conversationOf, gitLabConversation } from './conversation.ts';
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

/** lib/api/helpers.rb: `render_api_error!`. */
const refuse = (status: number, message: unknown) => new ForgeRefusal(status, { message });
const notFound = (what = '') => refuse(404, `404${what} Not Found`);

export const startGitLabServer = (options: ForgeServerOptions & { version?: string } = {}) => {
  const flavor: ForgeFlavor = {
    apiRoot: '/api/v4',
    unauthorized: { status: 401, body: { message: '401 Unauthorized' } },
    serve: (request, forge) => serve(request, forge, options.version ?? '18.5.1-ee'),
    refuseGit({ repository, isPush, token }) {
      // lib/gitlab/git_access.rb: its sentences are the plain text of a 403.
      const scopes = token?.scopes ?? [];
      if (!scopes.includes('api') && !scopes.includes('write_repository')) {
        if (isPush || !scopes.includes('read_repository')) return { status: 403 };
      }
      if (!repository.hasFiles) return { status: 403 };
      if (isPush && (token?.may !== 'write' || repository.isArchived)) return { status: 403 };
      return undefined;
    },
  };
  return startForgeServer(flavor, options);
};

async function serve(request: ForgeRequest, forge: ForgeState, version: string): Promise<Reply> {
  const { method, path, body, token } = request;
  const scopes = token?.scopes ?? [];
  // lib/api/api_guard.rb: `insufficient_scope`, in the form of RFC 6750.
  if (!scopes.includes('api') && !(method === 'GET' && scopes.includes('read_api'))) {
    throw new ForgeRefusal(403, {
      error: 'insufficient_scope',
      error_description:
        'The request requires higher privileges than provided by the access token.',
      scope: 'api',
    });
  }
  const [first, id = '', ...rest] = path;
  if (first === 'version') return { status: 200, body: { version, revision: 'abc' } };
  if (first === 'user') {
    return {
      status: 200,
      body: {
        id: 7,
        username: 'project_1_bot_x',
        name: 'Docs Bot',
        email: 'project_1_bot_x@noreply.gitlab.test',
        // doc/api/users.md
        commit_email: 'project_1_bot_x@noreply.gitlab.test',
      },
    };
  }
  // doc/api/users.md: by name, or by an exact email address, if it's public.
  if (first === 'users') {
    const all = [...forge.repositories.values()].flatMap((one) => [
      ...conversationOf(one).authors.values(),
    ]);
    const { search, username } = Object.fromEntries(request.query);
    const found = all.filter(({ email, login }) =>
      username === undefined ? email === search : login === username,
    );
    return {
      status: 200,
      body: found.map(({ id: number, login }) => ({ id: number, username: login })),
    };
  }
  if (first !== 'projects') throw notFound();
  if (id === '' && method === 'POST') {
    const made = await forge.add(`acme/docs-team/${String(body['name'])}`);
    return { status: 201, body: await showProject(made, token?.may) };
  }
  if (id === '') {
    // doc/api/projects.md, "List all projects": those where the account has at least this level.
    const level = token?.may === 'write' ? 40 : 20;
    const isEnough = level >= Number(request.query.get('min_access_level') ?? 0);
    const own = isEnough ? [...forge.repositories.values()] : [];
    return {
      status: 200,
      body: await Promise.all(
        own.map(async (one) => ({
          ...(await showProject(one, token?.may)),
          name: one.path.split('/').at(-1),
        })),
      ),
    };
  }
  // doc/api/rest/_index.md: a number, or the path with `%2F`.
  const project =
    forge.repositories.get(id) ??
    [...forge.repositories.values()].find((one) => String(one.id) === id);
  if (!project) throw notFound(' Project');
  const [part, ...below] = rest;
  if (part === undefined) return settings(request, project, forge);
  if (part === 'repository' && below[0] === 'branches') {
    const tip = await project.docs.tip(below[1] ?? '');
    if (below.length !== 2 || tip === undefined) throw notFound(' Branch');
    return { status: 200, body: { name: below[1], commit: { id: tip } } };
  }
  const said = gitLabConversation(request, project, rest);
  if (said) return said;
  if (part !== 'merge_requests') throw notFound();
  return mergeRequests(request, project, forge, below);
}

async function settings(
  { method, body, token }: ForgeRequest,
  project: ForgeRepository,
  forge: ForgeState,
): Promise<Reply> {
  if (method === 'DELETE') {
    forge.repositories.delete(project.path);
    return { status: 202, body: { message: '202 Accepted' } };
  }
  if (method === 'PUT') {
    if (typeof body['default_branch'] === 'string') project.defaultBranch = body['default_branch'];
    if (typeof body['merge_requests_access_level'] === 'string') {
      project.hasPulls = body['merge_requests_access_level'] !== 'disabled';
    }
  }
  return { status: 200, body: await showProject(project, token?.may) };
}

/** doc/api/projects.md */
async function showProject(project: ForgeRepository, may: 'read' | 'write' | undefined) {
  const isEmpty = (await project.docs.branches()).length === 0;
  const level = (isOn: boolean) => (isOn ? 'enabled' : 'disabled');
  return {
    id: project.id,
    path_with_namespace: project.path,
    http_url_to_repo: `http://elsewhere.example/${project.path}.git`,
    default_branch: isEmpty ? null : project.defaultBranch,
    archived: project.isArchived,
    empty_repo: isEmpty,
    mirror: project.isMirror,
    merge_requests_access_level: level(project.hasPulls),
    repository_access_level: level(project.hasFiles),
    merge_method: 'ff',
    // doc/api/access_requests.md: 20 is Reporter, 40 Maintainer.
    permissions: {
      project_access: { access_level: may === 'write' ? 40 : 20 },
      group_access: null,
    },
  };
}

async function mergeRequests(
  { method, query, body, token }: ForgeRequest,
  project: ForgeRepository,
  forge: ForgeState,
  [iid, action]: string[],
): Promise<Reply> {
  if (!project.hasPulls) throw refuse(403, '403 Forbidden');
  // lib/api/merge_requests.rb: everything below is there.
  if (iid === undefined && method === 'GET') {
    const branch = query.get('source_branch');
    const found = project.pulls.filter((one) => branch === null || one.branch === branch);
    const shown = found.toReversed().slice(0, Number(query.get('per_page') ?? 20));
    return {
      status: 200,
      body: await Promise.all(shown.map((one) => show(one, project, forge))),
    };
  }
  if (iid === undefined) {
    if (token?.may !== 'write' || project.isArchived) throw refuse(403, '403 Forbidden');
    return { status: 201, body: await show(await create(body, project), project, forge) };
  }
  if (method === 'PUT' && action === undefined && Object.keys(body).length === 0) {
    throw new ForgeRefusal(400, {
      error: 'title, description are missing, at least one parameter must be provided',
    });
  }
  const pull = project.pulls.find((one) => one.number === Number(iid));
  if (!pull) throw notFound();
  if (action === 'merge') return merge(body, pull, project, forge);
  if (method === 'PUT') {
    if (token?.may !== 'write') throw refuse(403, '403 Forbidden');
    assertText(body);
    if (typeof body['title'] === 'string') pull.title = body['title'];
    if (typeof body['description'] === 'string') pull.body = body['description'];
    if (body['state_event'] === 'close' && pull.state === 'open') {
      pull.state = 'closed';
      pull.endedAt = '2026-11-21T12:00:00.000Z';
    }
  }
  return { status: 200, body: await show(pull, project, forge) };
}

/** app/models/concerns/issuable.rb: its length; lib/gitlab/utils: PostgreSQL takes no NUL. */
function assertText(body: Record<string, unknown>): void {
  for (const field of ['title', 'description']) {
    const text = textOf(body, field);
    if (text.includes('\0')) throw new ForgeRefusal(400, { error: `${field} is invalid` });
    if (text.length > 1_048_576) {
      throw refuse(400, { [field]: ['is too long (maximum is 1048576 characters)'] });
    }
  }
}

async function create(body: Record<string, unknown>, project: ForgeRepository): Promise<ForgePull> {
  const { docs, pulls } = project;
  const { title, source_branch: branch, target_branch: base } = body as Record<string, string>;
  if (!title || !branch || !base) {
    throw new ForgeRefusal(400, { error: 'title, source_branch, target_branch are missing' });
  }
  assertText(body);
  const headCommit = await docs.tip(branch);
  if (headCommit === undefined) {
    throw refuse(400, { source_branch: ['does not exist'] });
  }
  if (branch === base) {
    throw refuse(422, ["You can't use same project/branch for source and target"]);
  }
  const known = pulls.find(
    (one) => one.branch === branch && one.base === base && one.state === 'open',
  );
  // app/models/merge_request.rb, `validate_branches`; `handle_merge_request_errors!` makes 409 of it.
  if (known) {
    throw refuse(409, [
      `Another open merge request already exists for this source branch: !${known.number}`,
    ]);
  }
  const pull: ForgePull = {
    number: pulls.length + 1,
    title,
    body: textOf(body, 'description'),
    branch,
    base,
    state: 'open',
    endedAt: undefined,
    headCommit,
    updated: 0,
    mergeAsked: 0,
  };
  pulls.push(pull);
  return pull;
}

/** 405 where it can't be merged, or it isn't known yet; 422 where the branch can't be merged. */
async function merge(
  body: Record<string, unknown>,
  pull: ForgePull,
  project: ForgeRepository,
  forge: ForgeState,
): Promise<Reply> {
  pull.mergeAsked += 1;
  if (pull.state !== 'open' || isDraft(pull.title) || pull.mergeAsked === 1) {
    throw refuse(405, '405 Method Not Allowed');
  }
  const deleteBranch = body['should_remove_source_branch'] === true;
  const commit = await mergePull(pull, project, { deleteBranch });
  if (commit === undefined) throw refuse(422, 'Branch cannot be merged');
  return { status: 200, body: await show(pull, project, forge) };
}

/** lib/gitlab/regex/merge_requests.rb: `[Draft]`, `(Draft)`, `Draft:`. */
const isDraft = (title: string) => /^\s*(\[draft\]|\(draft\)|draft:)/i.test(title);

/** doc/api/merge_requests.md */
async function show(pull: ForgePull, project: ForgeRepository, forge: ForgeState) {
  const sha = await followHead(pull, project, `refs/merge-requests/${pull.number}/head`);
  const { state, endedAt } = pull;
  return {
    iid: pull.number,
    web_url: `${forge.url}/${project.path}/-/merge_requests/${pull.number}`,
    title: pull.title,
    description: pull.body === '' ? null : pull.body,
    state: state === 'open' ? 'opened' : state,
    draft: isDraft(pull.title),
    // Computed later.
    detailed_merge_status: pull.mergeAsked === 0 ? 'checking' : 'mergeable',
    merged_at: state === 'merged' ? endedAt : null,
    closed_at: state === 'closed' ? endedAt : null,
    source_branch: pull.branch,
    target_branch: pull.base,
    source_project_id: project.id,
    target_project_id: project.id,
    reviewers: conversationOf(project).reviewers.map((id) => ({ id })),
    sha,
  };
}
