/**
 * Comments, rights, and failed checks at Gitea and GitLab. Gitea: routers/api/v1/repo/{issue_comment,
 * collaborators,status}.go, compared with a real one; GitLab: doc/api/{members,notes,discussions,commits,jobs}.
 */
import type { ForgeRepository, ForgeRequest, Reply } from './server.ts';

interface Said {
  body: string;
  /** Of a discussion at GitLab. */
  discussion?: string;
}

interface Conversation {
  said: Said[];
  /** `write` and more may; at Gitea by name, at GitLab by number. */
  rights: Map<string, string | number>;
  failed: { id: number; commit: string; name: string; log: string }[];
  /** By commit: the account, and at GitLab the email address that it's found by. */
  authors: Map<string, { id: number; login: string; email: string }>;
  /** Who was asked for a review: at Gitea by name, at GitLab by number. */
  reviewers: (string | number)[];
}

const conversations = new WeakMap<ForgeRepository, Conversation>();

export function conversationOf(repository: ForgeRepository): Conversation {
  const found = conversations.get(repository) ?? {
    said: [],
    rights: new Map(),
    failed: [],
    authors: new Map(),
    reviewers: [],
  };
  conversations.set(repository, found);
  return found;
}

const ok = (body: unknown, status = 200): Reply => ({ status, body });
const notFound: Reply = { status: 404, body: { message: '404 Not found' } };

/** `path` is below the repository. */
export function giteaConversation(
  { method, body }: ForgeRequest,
  repository: ForgeRepository,
  path: string[],
): Reply | undefined {
  const { said, rights, failed, authors, reviewers } = conversationOf(repository);
  const [part, name = '', last] = path;
  if (part === 'git' && name === 'commits') {
    return ok({ sha: last, author: authors.get(last ?? '') ?? null });
  }
  if (part === 'pulls' && last === 'requested_reviewers') {
    const logins = body['reviewers'] as string[];
    // services/issue/assignee.go: whoever may not read it can't be asked.
    if (!logins.every((login) => rights.has(login))) {
      return { status: 422, body: { message: "reviewer can't read" } };
    }
    reviewers.push(...logins);
    return ok([], 201);
  }
  if (part === 'collaborators' && last === 'permission') {
    const permission = rights.get(name);
    return permission === undefined ? notFound : ok({ permission, user: { login: name } });
  }
  if (part === 'issues' && last === 'comments') {
    if (method !== 'POST') return ok(said.map((one) => ({ ...one, user: { login: 'docs-bot' } })));
    said.push({ body: String(body['body']) });
    return ok({ id: said.length }, 201);
  }
  if (part === 'commits' && last === 'statuses') {
    const own = failed.filter(({ commit }) => commit === name);
    return ok(
      own.map((one) => ({
        context: one.name,
        status: 'failure',
        description: one.log,
        id: one.id,
      })),
    );
  }
  return undefined;
}

/** `path` is below the project. */
export function gitLabConversation(
  { method, body }: ForgeRequest,
  repository: ForgeRepository,
  path: string[],
): Reply | undefined {
  const { said, rights, failed, authors, reviewers } = conversationOf(repository);
  const [part, second = '', third = '', fourth = '', fifth] = path;
  if (part === 'repository' && second === 'commits' && fourth === '') {
    const author = authors.get(third);
    return author ? ok({ id: third, author_email: author.email }) : notFound;
  }
  // The merge request of conversations, in a repository without any.
  const isOurs = second === '3' && repository.pulls.length === 0;
  if (part === 'merge_requests' && third === '' && isOurs) {
    if (method === 'PUT') {
      reviewers.splice(0, reviewers.length, ...(body['reviewer_ids'] as number[]));
    }
    return ok({ iid: 3, reviewers: reviewers.map((id) => ({ id })) });
  }
  if (part === 'members' && second === 'all') {
    const level = rights.get(third);
    return level === undefined
      ? notFound
      : ok({ id: Number(third), access_level: level, state: 'active' });
  }
  if (part === 'merge_requests' && third === 'notes') {
    if (method !== 'POST') return ok(said.filter(({ discussion }) => discussion === undefined));
    said.push({ body: String(body['body']) });
    return ok({ id: said.length }, 201);
  }
  if (part === 'merge_requests' && third === 'discussions') {
    const own = said.filter(({ discussion }) => discussion === fourth);
    if (own.length === 0) return notFound;
    if (method !== 'POST' || fifth !== 'notes') return ok({ id: fourth, notes: own });
    said.push({ body: String(body['body']), discussion: fourth });
    return ok({ id: said.length }, 201);
  }
  if (part === 'repository' && second === 'commits' && fourth === 'statuses') {
    const own = failed.filter(({ commit }) => commit === third);
    return ok(own.map(({ id, name }) => ({ id, name, status: 'failed', allow_failure: false })));
  }
  if (part === 'jobs' && third === 'trace') {
    const found = failed.find(({ id }) => id === Number(second));
    return found ? { status: 200, body: found.log } : notFound;
  }
  return undefined;
}
