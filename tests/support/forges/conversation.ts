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
  /** Those of the repository; GitLab makes what it doesn't have. */
  labels: { id: number; name: string }[];
  /** The names of those that its pull requests got. */
  labelled: string[];
  /** GitLab Free has one reviewer. */
  isFree: boolean;
}

const conversations = new WeakMap<ForgeRepository, Conversation>();

export function conversationOf(repository: ForgeRepository): Conversation {
  const found = conversations.get(repository) ?? {
    said: [],
    rights: new Map(),
    failed: [],
    authors: new Map(),
    reviewers: [],
    labels: [],
    labelled: [],
    isFree: false,
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
  const { said, rights, failed, authors, reviewers, labels, labelled } = conversationOf(repository);
  const [part, name = '', last] = path;
  if (part === 'git' && name === 'commits') {
    return ok({ sha: last, author: authors.get(last ?? '') ?? null });
  }
  if (part === 'pulls' && last === 'requested_reviewers') {
    // routers/api/v1/repo/pull_review.go: teams of somebody who is no organization are ignored.
    const logins = (body['reviewers'] ?? []) as string[];
    for (const login of logins) {
      if (!rights.has(login) && login !== 'docs-bot') {
        return { status: 404, body: { message: `user doesn't exist: ${login}` } };
      }
      // services/issue/review_request.go: `isValidReviewRequest`.
      const reason =
        rights.get(login) === 'none'
          ? "Reviewer can't read"
          : login === 'docs-bot'
            ? "poster of pr can't be reviewer"
            : undefined;
      const message = `${reason} [user_id: 7, repo_id: 1]`;
      if (reason !== undefined) return { status: 422, body: { message } };
    }
    reviewers.push(...logins);
    return ok(
      logins.map((login) => ({ user: { login } })),
      201,
    );
  }
  // modules/structs/issue_label.go; routers/api/v1/repo/issue_label.go drops numbers that it doesn't know.
  if (part === 'labels') return ok(labels);
  if (part === 'issues' && last === 'labels') {
    const ids = body['labels'] as number[];
    labelled.push(...labels.flatMap(({ id, name: label }) => (ids.includes(id) ? label : [])));
    return ok(labels.filter(({ id }) => ids.includes(id)));
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
  const { said, rights, failed, authors, reviewers, labelled, isFree } = conversationOf(repository);
  const [part, second = '', third = '', fourth = '', fifth] = path;
  if (part === 'repository' && second === 'commits' && fourth === '') {
    const author = authors.get(third);
    return author ? ok({ id: third, author_email: author.email }) : notFound;
  }
  // The merge request of conversations, in a repository without any.
  const isOurs = second === '3' && repository.pulls.length === 0;
  const { add_labels: label, reviewer_ids: ids } = body;
  if (part === 'merge_requests' && third === '' && (isOurs || label || ids)) {
    // doc/api/merge_requests.md, "Update MR": labels that aren't there are made.
    if (typeof label === 'string') labelled.push(...label.split(','));
    // app/services/merge_requests/base_service.rb, `filter_reviewers`: those who may read it, and one of them in Free.
    if (Array.isArray(ids)) {
      const able = (ids as number[]).filter((id) => (rights.get(String(id)) ?? 30) !== 0);
      reviewers.splice(0, reviewers.length, ...(isFree ? able.slice(0, 1) : able));
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
    // lib/api/ci/jobs.rb: `content_type 'text/plain'`.
    const headers = { 'content-type': 'text/plain' };
    return found ? { status: 200, body: found.log, headers } : notFound;
  }
  return undefined;
}
