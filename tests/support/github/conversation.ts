/**
 * Comments, reviews, collaborators, and checks of a repository, and the webhooks about them. Shapes and status
 * codes as GitHub's documentation has them: "Issue comments", "Pull request reviews", "Repository
 * collaborators", "Check runs", "Webhook events and payloads".
 */
import { createHmac, randomUUID } from 'node:crypto';
import { type Answer, type Asked, created, notFound, ok, Refusal, text } from './answers.ts';

interface Account {
  id: number;
  login: string;
  type: 'User' | 'Bot';
}

export interface Comment {
  id: number;
  body: string;
  user: Account;
  pull: number;
  created_at: string;
  path?: string;
  line?: number;
  in_reply_to_id?: number;
  pull_request_review_id?: number;
}

interface Review {
  id: number;
  body: string;
  user: Account;
  pull: number;
  state: 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED';
}

interface Check {
  id: number;
  commit: string;
  name: string;
  conclusion: string;
  log: string | undefined;
  summary: string;
}

export type Conversation = ReturnType<typeof createConversation>;

/** What people do in the browser. Each action gives back the webhook that GitHub sends for it. */
export function createConversation(repository: string) {
  let lastId = 100;
  const next = () => (lastId += 1);
  const accounts = new Map<string, Account & { permission: string }>();
  const comments: Comment[] = [];
  const reviews: Review[] = [];
  const checks: Check[] = [];
  /** By commit: the account that its email address belongs to. */
  const authors = new Map<string, string>();
  /** Who was asked for a review of which pull request. */
  const asked: [pull: number, login: string][] = [];
  const labels: [pull: number, label: string][] = [];
  /** Slugs of teams of the repository's organization. */
  const teams = new Set<string>();
  const at = () => new Date().toISOString();
  const about = { repository: { full_name: repository } };
  const account = (login: string): Account => {
    const { permission: _, ...found } = accounts.get(login) ?? {
      id: 1,
      login,
      type: 'User' as const,
      permission: 'none',
    };
    return found;
  };

  return {
    comments,
    checks,
    authors,
    asked,
    labels,
    teams,

    addPerson(
      login: string,
      permission: 'admin' | 'write' | 'read' | 'none',
      type: 'User' | 'Bot' = 'User',
    ) {
      accounts.set(login, { id: next(), login, type, permission });
    },

    comment(pull: number, login: string, body: string) {
      const comment = { id: next(), body, user: account(login), pull, created_at: at() };
      comments.push(comment);
      return {
        event: 'issue_comment',
        payload: {
          action: 'created',
          ...about,
          issue: { number: pull, pull_request: { url: 'x' } },
          comment,
          sender: comment.user,
        },
      };
    },

    /** A review: one webhook of its own, and one for each of its comments. */
    review(
      pull: number,
      login: string,
      body: string,
      lines: { path: string; line: number; body: string }[],
      decision: Review['state'] = 'COMMENTED',
    ) {
      const user = account(login);
      const review = { id: next(), body, user, pull, state: decision };
      reviews.push(review);
      const own = lines.map((line) => ({
        id: next(),
        ...line,
        user,
        pull,
        created_at: at(),
        pull_request_review_id: review.id,
      }));
      comments.push(...own);
      const shared = { ...about, pull_request: { number: pull }, sender: user };
      return [
        { event: 'pull_request_review', payload: { action: 'submitted', ...shared, review } },
        ...own.map((comment) => ({
          event: 'pull_request_review_comment',
          payload: { action: 'created', ...shared, comment },
        })),
      ];
    },

    fail(commit: string, name: string, { log, summary = '' }: { log?: string; summary?: string }) {
      checks.push({ id: next(), commit, name, conclusion: 'failure', log, summary });
      return {
        event: 'check_suite',
        payload: {
          action: 'completed',
          ...about,
          check_suite: { head_sha: commit, conclusion: 'failure' },
        },
      };
    },

    route({ method, body, query }: Asked, path: string, url: string): Answer | undefined {
      const [, written] = /^\/commits\/(\w+)$/.exec(path) ?? [];
      if (written !== undefined) {
        const login = authors.get(written);
        return ok({ sha: written, author: login === undefined ? null : account(login) });
      }
      // "Request reviewers for a pull request": collaborators, and not its author.
      const [, reviewed] = /^\/pulls\/(\d+)\/requested_reviewers$/.exec(path) ?? [];
      if (reviewed !== undefined) {
        const logins = [
          ...((body['reviewers'] ?? []) as string[]),
          ...((body['team_reviewers'] ?? []) as string[]).map((team) => `team ${team}`),
        ];
        if (logins.includes('docs-owner')) {
          throw new Refusal(422, 'Review cannot be requested from pull request author.');
        }
        for (const team of teams) {
          accounts.set(`team ${team}`, { id: 0, login: team, type: 'User', permission: 'read' });
        }
        if (logins.some((login) => (accounts.get(login)?.permission ?? 'none') === 'none')) {
          throw new Refusal(422, 'Reviews may only be requested from collaborators.');
        }
        asked.push(...logins.map((login): [number, string] => [Number(reviewed), login]));
        return created({ number: Number(reviewed) });
      }
      // "Add labels to an issue": they are made where there are none.
      const [, labelled] = /^\/issues\/(\d+)\/labels$/.exec(path) ?? [];
      if (labelled !== undefined) {
        const names = body['labels'] as string[];
        labels.push(...names.map((name): [number, string] => [Number(labelled), name]));
        return ok(names.map((name) => ({ name })));
      }
      const [, person] = /^\/collaborators\/([^/]+)\/permission$/.exec(path) ?? [];
      if (person !== undefined) {
        const found = accounts.get(person);
        if (!found) throw notFound();
        return ok({ permission: found.permission, user: account(person) });
      }
      const [, issue] = /^\/issues\/(\d+)\/comments$/.exec(path) ?? [];
      const own = { user: { id: 7, login: 'docent[bot]', type: 'Bot' as const }, created_at: at() };
      if (issue !== undefined) {
        const pull = Number(issue);
        if (method === 'POST') {
          const comment = { id: next(), body: text(body, 'body'), pull, ...own };
          comments.push(comment);
          return created(comment);
        }
        const since = query.get('since') ?? '';
        const isPlain = (one: Comment) =>
          one.path === undefined && one.in_reply_to_id === undefined;
        return ok(
          comments.filter((one) => one.pull === pull && isPlain(one) && one.created_at >= since),
        );
      }
      const [, pull = '', rest = ''] =
        /^\/pulls\/(\d+)(\/(?:reviews|comments).*)$/.exec(path) ?? [];
      const inPull = comments.filter((one) => one.pull === Number(pull));
      const [, top] = /^\/comments\/(\d+)\/replies$/.exec(rest) ?? [];
      if (method === 'POST' && top !== undefined) {
        const first = inPull.find(({ id }) => id === Number(top));
        // An answer to an answer is refused.
        if (!first || first.in_reply_to_id !== undefined) throw notFound();
        const reply = {
          id: next(),
          body: text(body, 'body'),
          pull: Number(pull),
          in_reply_to_id: first.id,
          ...(first.path !== undefined && { path: first.path }),
          ...own,
        };
        comments.push(reply);
        return created(reply);
      }
      // "List reviews for a pull request": oldest first.
      if (rest === '/reviews') return ok(reviews.filter((one) => one.pull === Number(pull)));
      if (rest === '/comments') return ok(inPull.filter(({ path }) => path !== undefined));
      const [, id, more] = /^\/reviews\/(\d+)(\/comments)?$/.exec(rest) ?? [];
      if (id !== undefined) {
        const review = reviews.find((one) => one.id === Number(id));
        if (!review) throw notFound();
        if (more === undefined) return ok(review);
        return ok(inPull.filter((one) => one.pull_request_review_id === review.id));
      }
      const [, commit, what] = /^\/commits\/(\w+)\/(check-runs|status)$/.exec(path) ?? [];
      if (what === 'status') return ok({ state: 'pending', statuses: [] });
      if (commit !== undefined) {
        const found = checks.filter((check) => check.commit === commit);
        return ok({
          total_count: found.length,
          check_runs: found.map(({ id, name, conclusion, log, summary }) => ({
            id,
            name,
            conclusion,
            status: 'completed',
            app: { slug: log === undefined ? 'other' : 'github-actions' },
            output: { title: null, summary, text: null },
          })),
        });
      }
      const [, job] = /^\/actions\/jobs\/(\d+)\/logs$/.exec(path) ?? [];
      const check = checks.find(({ id }) => id === Number(job));
      // As GitHub does, it leads to another host.
      if (check?.log !== undefined) {
        return {
          status: 302,
          headers: { location: `${url.replace('127.0.0.1', 'localhost')}/logs/${check.id}` },
        };
      }
      return undefined;
    },
  };
}

/** Sends a webhook as GitHub does: signed, with an ID of its own. */
export function deliver(
  address: string,
  secret: string,
  { event, payload }: { event: string; payload: unknown },
  delivery: string = randomUUID(),
): Promise<Response> {
  const body = JSON.stringify(payload);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': delivery,
      'x-hub-signature-256': `sha256=${signature}`,
    },
    body,
  });
}
