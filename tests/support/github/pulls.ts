/** Pull requests, by REST and the two changes that only GraphQL makes. */
import {
  type Answer,
  type Asked,
  created,
  invalid,
  notFound,
  ok,
  Refusal,
  text,
} from './answers.ts';
import { readRef, writeRef } from '../read-ref.ts';
import { line } from './git.ts';
import type { HostedRepository, Pull } from './repository.ts';

export async function pullsRoute(
  asked: Asked,
  repository: HostedRepository,
  path: string,
  url: string,
): Promise<Answer | undefined> {
  const { method } = asked;
  const { pulls } = repository;
  if (method === 'GET' && path === '/pulls') {
    const head = asked.query.get('head')?.split(':').slice(1).join(':');
    const state = asked.query.get('state') ?? 'open';
    const found = pulls
      .filter((pull) => head === undefined || pull.branch === head)
      .filter((pull) => state === 'all' || pull.state === state)
      .toReversed();
    const size = Number(asked.query.get('per_page') ?? 30);
    return ok(await Promise.all(found.slice(0, size).map((one) => show(one, repository, url))));
  }
  if (method === 'POST' && path === '/pulls') {
    return created(await show(await create(asked, repository), repository, url));
  }
  const [, number] = /^\/pulls\/(\d+)$/.exec(path) ?? [];
  if (number === undefined) return undefined;
  const pull = pulls.find((one) => one.number === Number(number));
  if (!pull) throw notFound();
  if (method === 'PATCH') {
    const { title, body, state } = asked.body;
    if (typeof title === 'string') pull.title = title;
    if (typeof body === 'string') pull.body = body;
    if (state === 'closed') pull.state = 'closed';
    return ok(await show(pull, repository, url));
  }
  if (method !== 'GET') return undefined;
  return ok(await show(pull, repository, url));
}

async function create(asked: Asked, repository: HostedRepository): Promise<Pull> {
  const { docs, pulls } = repository;
  const base = text(asked.body, 'base');
  const branch = text(asked.body, 'head').replace(/^[^:]*:/, '');
  const headCommit = await docs.tip(branch);
  if (headCommit === undefined) throw invalid('PullRequest', { field: 'head', code: 'invalid' });
  const baseCommit = await docs.tip(base);
  if (baseCommit === undefined) throw invalid('PullRequest', { field: 'base', code: 'invalid' });
  const isDraft = asked.body['draft'] === true;
  if (isDraft && !repository.hasDrafts) {
    throw new Refusal(422, 'Draft pull requests are not supported in this repository.');
  }
  if (pulls.some((one) => one.branch === branch && one.base === base && one.state === 'open')) {
    const owner = repository.name.split('/')[0];
    throw invalid('PullRequest', {
      code: 'custom',
      message: `A pull request already exists for ${owner}:${branch}.`,
    });
  }
  const ahead = await line(docs.path, 'rev-list', '--count', `${baseCommit}..${headCommit}`);
  if (ahead === '0') {
    throw invalid('PullRequest', {
      code: 'custom',
      message: `No commits between ${base} and ${branch}`,
    });
  }
  const title = text(asked.body, 'title');
  if (title.length > 256) {
    throw invalid('PullRequest', { field: 'title', code: 'custom', message: 'title is too long' });
  }
  const pull: Pull = {
    number: pulls.length + 1,
    title,
    body: typeof asked.body['body'] === 'string' ? asked.body['body'] : '',
    branch,
    base,
    isDraft,
    state: 'open',
    isMerged: false,
    headCommit,
  };
  pulls.push(pull);
  return pull;
}

async function show(pull: Pull, repository: HostedRepository, url: string) {
  const { docs, name } = repository;
  if (pull.state === 'open') {
    const tip = await docs.tip(pull.branch);
    // A branch that is deleted closes its pull request.
    if (tip === undefined) pull.state = 'closed';
    else if (tip !== pull.headCommit) pull.headCommit = tip;
    // Its commits stay readable after the branch has gone.
    const kept = `refs/pull/${pull.number}/head`;
    if ((await readRef(docs.path, kept)) !== pull.headCommit) {
      await writeRef(docs.path, kept, pull.headCommit);
    }
  }
  const owner = name.split('/')[0];
  return {
    number: pull.number,
    node_id: `PR_${name}_${pull.number}`,
    html_url: `${url}/${name}/pull/${pull.number}`,
    title: pull.title,
    body: pull.body === '' ? null : pull.body,
    state: pull.state,
    draft: pull.isDraft,
    merged_at: pull.isMerged ? '2026-11-21T12:00:00Z' : null,
    head: { ref: pull.branch, sha: pull.headCommit, label: `${owner}:${pull.branch}` },
    base: { ref: pull.base, sha: (await docs.tip(pull.base)) ?? null },
  };
}

/** `convertPullRequestToDraft` and `markPullRequestReadyForReview`. */
export function changeDraft(asked: Asked, repositories: Iterable<HostedRepository>) {
  const query = text(asked.body, 'query');
  const { id } = (asked.body['variables'] ?? {}) as { id?: string };
  for (const repository of repositories) {
    const pull = repository.pulls.find((one) => `PR_${repository.name}_${one.number}` === id);
    if (!pull) continue;
    return {
      repository: repository.name,
      apply(): Answer {
        if (query.includes('convertPullRequestToDraft')) {
          if (!repository.hasDrafts) {
            return ok({
              errors: [
                {
                  type: 'UNPROCESSABLE',
                  message: 'Draft pull requests are not supported in this repository.',
                },
              ],
            });
          }
          pull.isDraft = true;
        }
        if (query.includes('markPullRequestReadyForReview')) pull.isDraft = false;
        return ok({ data: { change: { pullRequest: { isDraft: pull.isDraft } } } });
      },
    };
  }
  return undefined;
}
