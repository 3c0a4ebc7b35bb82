/**
 * What a host tells us by its webhooks: who sent it, and what happened. GitHub, Gitea, and Forgejo sign the
 * body (`X-Hub-Signature-256`; `services/webhook/shared/payloader.go` of Forgejo; older releases only
 * `X-Gitea-Signature`). GitLab sends its secret (`X-Gitlab-Token`), or signs as Standard Webhooks do.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { HostUser, Place } from '../forge/talk.ts';

export interface Delivery {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

export type HostEvent =
  | { kind: 'comment'; pull: number; author: HostUser; text: string; at?: Place; thread?: string }
  | { kind: 'review'; pull: number; author: HostUser; text: string; review?: string }
  | { kind: 'checks'; commit: string }
  | { kind: 'pull'; pull: number }
  /** `index`: the sites that are built from the branch. */
  | { kind: 'push'; branch: string; isDefault: boolean; index?: string[] };

/** `key` names what happened: a delivery that comes again, or under another name, has the same. */
type NewEvent = HostEvent & { key: string };

export interface ReadEvent {
  /** As the host calls it, such as `issue_comment created`. */
  name: string;
  /** The delivery's ID at the host. */
  delivery: string;
  /** `owner/name` of the repository that it's about. */
  repository: string;
  /** Why there is nothing to do, or what there is. */
  event: NewEvent | string;
}

const toleranceMs = 5 * 60_000;

/** Whether the sender knows the secret. */
export function isGenuine({ headers, body }: Delivery, secret: string, now: Date): boolean {
  const header = (name: string) => String(headers[name] ?? '');
  const signed = header('webhook-signature');
  if (signed !== '') {
    const [id, time] = [header('webhook-id'), header('webhook-timestamp')];
    if (Math.abs(now.getTime() - Number(time) * 1000) > toleranceMs) return false;
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const right = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64');
    return signed.split(' ').some((one) => isSame(one, `v1,${right}`));
  }
  const token = header('x-gitlab-token');
  if (token !== '') return isSame(token, secret);
  const given = (header('x-hub-signature-256') || header('x-gitea-signature')).replace(
    /^sha256=/,
    '',
  );
  return isSame(given, createHmac('sha256', secret).update(body).digest('hex'));
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Throws a `ZodError` or a `SyntaxError` if the body isn't what the host sends. */
export function readEvent({ headers, body }: Delivery): ReadEvent {
  const header = (...names: string[]) =>
    String(names.map((name) => headers[name]).find((value) => value !== undefined) ?? '');
  const payload: unknown = JSON.parse(body.toString());
  const gitlab = header('x-gitlab-event');
  if (gitlab !== '') {
    const delivery = header('idempotency-key', 'x-gitlab-event-uuid', 'webhook-id');
    return { delivery, ...readGitLab(gitlab, payload, delivery) };
  }
  const delivery = header('x-github-delivery', 'x-gitea-delivery');
  return { delivery, ...readGitHub(header('x-github-event', 'x-gitea-event'), payload, delivery) };
}

const number = z.number().int().positive();
const user = z.object({ id: number, login: z.string(), type: z.string().optional() });
const remark = z.object({
  id: number,
  body: z.string().nullable(),
  user,
  path: z.string().optional(),
  line: number.nullish(),
  pull_request_review_id: number.nullish(),
});

/** What was pushed: of GitHub, "Webhook events and payloads"; Gitea, modules/structs/hook.go; GitLab, "Webhook events". */
const pushed = { ref: z.string().optional(), after: z.string().optional() };

function readPush(
  { ref = '', after = '' }: { ref?: string | undefined; after?: string | undefined },
  defaultBranch: string | null | undefined,
  delivery: string,
): NewEvent | string {
  const [, branch] = /^refs\/heads\/(.+)$/s.exec(ref) ?? [];
  if (branch === undefined) return 'It’s about a tag.';
  if (/^0*$/.test(after)) return 'The branch was deleted.';
  // A branch may come back to a commit.
  return { key: `push ${delivery}`, kind: 'push', branch, isDefault: branch === defaultBranch };
}

/** Also of Gitea and Forgejo, which send the same with fewer fields. */
const GitHubPayload = z.object({
  action: z.string().default(''),
  /** A GitHub App also hears of itself. */
  repository: z
    .object({ full_name: z.string(), default_branch: z.string().optional() })
    .default({ full_name: '' }),
  sender: user.optional(),
  number: number.optional(),
  comment: remark.optional(),
  review: z
    .object({
      id: number.optional(),
      body: z.string().nullish(),
      /** Gitea. */
      content: z.string().optional(),
      user: user.optional(),
    })
    .nullish(),
  issue: z.object({ number, pull_request: z.object({}).nullish() }).optional(),
  pull_request: z.object({ number }).nullish(),
  check_suite: z.object({ head_sha: z.string(), conclusion: z.string().nullable() }).optional(),
  /** Of a status. */
  sha: z.string().optional(),
  state: z.string().optional(),
  /** Of a run of Gitea's or Forgejo's Actions. */
  workflow_run: z.object({ head_sha: z.string(), conclusion: z.string().nullish() }).optional(),
  run: z.object({ commit_sha: z.string() }).optional(),
  ...pushed,
});

const failures = ['failure', 'timed_out', 'startup_failure', 'error'];

function readGitHub(type: string, payload: unknown, delivery: string): Omit<ReadEvent, 'delivery'> {
  const read = GitHubPayload.parse(payload);
  const { action, comment, review, issue, sender } = read;
  const pull = read.pull_request?.number ?? issue?.number ?? read.number;
  const found = (event: NewEvent | string) => ({
    name: [type, action].filter(Boolean).join(' '),
    repository: read.repository.full_name,
    event,
  });
  if (type === 'push') return found(readPush(read, read.repository.default_branch, delivery));
  if (comment && action === 'created' && pull !== undefined) {
    if (comment.user.type === 'Bot') return found('A program wrote it.');
    const { user: author, body, pull_request_review_id: of } = comment;
    const text = body ?? '';
    // A review's comments come one by one: together they are one instruction.
    if (of)
      return found({ key: `review ${of}`, kind: 'review', pull, author, text, review: `${of}` });
    const isPull = issue?.pull_request != null || read.pull_request != null;
    if (!isPull) return found('It’s about an issue.');
    return found({ key: `comment ${comment.id}`, kind: 'comment', pull, author, text });
  }
  if (review && pull !== undefined && ['submitted', 'reviewed'].includes(action)) {
    const author = review.user ?? sender;
    if (!author || author.type === 'Bot') return found('A program wrote it.');
    const text = review.body ?? review.content ?? '';
    const key = `review ${review.id ?? digest(`${pull} ${author.id} ${JSON.stringify(payload)}`)}`;
    const id = review.id === undefined ? {} : { review: String(review.id) };
    return found({ key, kind: 'review', pull, author, text, ...id });
  }
  const isPullChange = ['closed', 'reopened', 'merged'].includes(action);
  if (type === 'pull_request' && pull !== undefined && isPullChange) {
    return found({ key: `pull ${pull} ${digest(JSON.stringify(payload))}`, kind: 'pull', pull });
  }
  const run = read.check_suite ?? read.workflow_run;
  const commit = run?.head_sha ?? read.run?.commit_sha ?? read.sha;
  const outcome = run?.conclusion ?? read.state ?? (read.run ? action : undefined);
  if (commit !== undefined && outcome != null) {
    if (!failures.includes(outcome)) return found('Nothing failed.');
    return found({ key: `checks ${commit}`, kind: 'checks', commit });
  }
  return found('Docent has nothing to do for such an event.');
}

const GitLabPayload = z.object({
  project: z.object({
    path_with_namespace: z.string(),
    default_branch: z.string().nullish(),
  }),
  ...pushed,
  user: z.object({ id: number, username: z.string(), name: z.string().optional() }).optional(),
  object_attributes: z
    .object({
      id: number.optional(),
      note: z.string().optional(),
      noteable_type: z.string().optional(),
      discussion_id: z.string().optional(),
      system: z.boolean().optional(),
      action: z.string().optional(),
      iid: number.optional(),
      sha: z.string().optional(),
      status: z.string().optional(),
      position: z.object({ new_path: z.string().nullish(), new_line: number.nullish() }).nullish(),
    })
    .optional(),
  merge_request: z.object({ iid: number }).nullish(),
});

/** `Push Hook`, `Note Hook`, `Merge Request Hook`, `Pipeline Hook`; GitLab's documentation, "Webhook events". */
function readGitLab(type: string, payload: unknown, delivery: string): Omit<ReadEvent, 'delivery'> {
  const read = GitLabPayload.parse(payload);
  const said = read.object_attributes ?? {};
  const found = (event: NewEvent | string) => ({
    name: [type, said.action ?? said.status].filter(Boolean).join(' '),
    repository: read.project.path_with_namespace,
    event,
  });
  if (type === 'Push Hook') return found(readPush(read, read.project.default_branch, delivery));
  const pull = read.merge_request?.iid;
  if (type === 'Note Hook' && said.id !== undefined) {
    if (pull === undefined || said.noteable_type !== 'MergeRequest') {
      return found('It isn’t about a merge request.');
    }
    if (said.system === true || (said.action ?? 'create') !== 'create' || !read.user) {
      return found('Docent reads new comments of people.');
    }
    // Access tokens of projects and groups have accounts with such names.
    const { id, username: login } = read.user;
    if (/^(?:project|group)_\d+_bot/.test(login)) return found('A program wrote it.');
    const path = said.position?.new_path;
    return found({
      key: `comment ${said.id}`,
      kind: 'comment',
      pull,
      author: { id, login },
      text: said.note ?? '',
      ...(path != null && { at: { path, line: said.position?.new_line ?? undefined } }),
      ...(said.discussion_id !== undefined && { thread: said.discussion_id }),
    });
  }
  if (type === 'Merge Request Hook' && said.iid !== undefined) {
    if (!['close', 'merge', 'reopen'].includes(said.action ?? '')) {
      return found('Docent has nothing to do for such an event.');
    }
    const key = `pull ${said.iid} ${digest(JSON.stringify(payload))}`;
    return found({ key, kind: 'pull', pull: said.iid });
  }
  if (type === 'Pipeline Hook' && said.sha !== undefined) {
    if (said.status !== 'failed') return found('Nothing failed.');
    return found({ key: `checks ${said.sha}`, kind: 'checks', commit: said.sha });
  }
  return found('Docent has nothing to do for such an event.');
}

const digest = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 22);
