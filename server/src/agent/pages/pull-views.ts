import { titleOf, userInstructions } from '../jobs/instructions.ts';
import { jobOfPull } from '../jobs/read-jobs.ts';
import { DocentError } from '../../platform/errors.ts';
import { createOncePerKey } from '../../platform/once-per-key.ts';
import { diffInWorker } from '../workspace/diffs.ts';
import type { LocalForge } from '../forge/local/local-forge.ts';
import type { LocalPull, Within } from '../forge/local/pulls.ts';
import type { SignedIn, Visit } from './access.ts';
import { type DiffView, maxPreviewCharacters } from './diff-view.ts';
import { projectCrumb, type ViewDeps } from './job-views.ts';
import type { Page } from './layout.ts';
import { type Notice, withNotice, writeNotice } from './notices.ts';
import { writePull } from './pull-page.ts';

type PullOf = Visit<'pull'>['page'];
export type PullAction = 'merge' | 'close' | 'reopen' | 'ready';

const auditNames = {
  merge: 'pull.merged',
  close: 'pull.closed',
  reopen: 'pull.reopened',
  ready: 'pull.ready',
} as const satisfies Record<PullAction, string>;

export function createPullViews(deps: ViewDeps) {
  const { database, projects, sites, forges, linkTo, audit, now } = deps;

  const diffs = createOncePerKey<DiffView | { why: string }>(20);

  function forgeOf(page: PullOf): LocalForge {
    const project = projects.byId(page.project);
    const forge = project && forges.localForge(project);
    if (!forge) throw noPull();
    return forge;
  }

  /** Whether a site is indexed from the branch that the pull request went into (`compose.ts`). */
  async function isIndexed(page: PullOf): Promise<boolean> {
    const { repository } = projects.byId(page.project) ?? {};
    const pull = await forgeOf(page).pull(page.number);
    return repository !== undefined && !!pull && sites.builtFrom(repository, pull.base).length > 0;
  }

  /** The head commit with its changes. */
  async function contentOf(forge: LocalForge, pull: LocalPull) {
    const head = pull.headCommit ?? (await forge.tip(pull.branch));
    const base = pull.state === 'open' ? await forge.tip(pull.base) : pull.baseCommit;
    const from = head && base ? await forge.mergeBase(base, head) : undefined;
    if (head === undefined || from === undefined) {
      return { head, commits: [], diff: { why: 'The commits of this pull request are gone.' } };
    }
    const commits = await forge.commitsBetween(from, head);
    const diff = await diffs(`${pull.project} ${from} ${head}`, () => diffOf(forge, from, head));
    return { head, commits, diff };
  }

  async function diffOf(
    forge: LocalForge,
    from: string,
    head: string,
  ): Promise<DiffView | { why: string }> {
    const changed = await forge.changesBetween(from, head).catch((error: Error) => {
      const { cause } = error;
      if (cause instanceof DocentError && cause.code === 'too_large') return undefined;
      throw error;
    });
    if (!changed) return { why: 'The change is too large to show here. Read it with git.' };
    const { changes, more } = changed;
    const texts = new Map(
      changes.flatMap(({ path, after }) =>
        after && /\.mdx?$/i.test(path) && after.length <= maxPreviewCharacters
          ? [[path, after.toString()] as const]
          : [],
      ),
    );
    return { files: await diffInWorker(changes), texts, more };
  }

  /** The audit entry, in the transaction of the action. */
  function onRecord({ page, by }: SignedIn<'pull'>, action: PullAction): Within {
    const { project, number } = page;
    return async (tx) => {
      const job = await jobOfPull(tx, project, number);
      const organization = projects.byId(project)?.organization ?? '';
      const pull = { actor: by, type: auditNames[action], data: { number } };
      await audit.record(tx, { organization, project, job: job?.id, ...pull });
    };
  }

  return {
    async show({ page, by, mayAct }: Visit<'pull'>, said: unknown): Promise<Page> {
      const forge = forgeOf(page);
      const pull = await forge.pull(page.number);
      if (!pull) throw noPull();
      const [content, merge, job] = await Promise.all([
        contentOf(forge, pull),
        pull.state === 'merged' ? undefined : forge.mergeability(pull),
        jobOfPull(database, page.project, page.number),
      ]);
      const instructions = await userInstructions(database, job ? [job.id] : [], 'first');
      return {
        title: `${pull.title} · #${pull.number}`,
        trail: [projectCrumb(deps, page.project, by), { name: `Pull request #${pull.number}` }],
        body: writePull({
          pull,
          now: now(),
          path: linkTo(page),
          mayAct,
          ...content,
          merge,
          job: job && {
            title: titleOf(job, instructions.get(job.id)),
            link: linkTo({ kind: 'job', project: page.project, job: job.id }),
          },
          notice: writeNotice(said),
        }),
      };
    },

    /** Returns the address to redirect to. */
    async act(visit: SignedIn<'pull'>, action: PullAction, body: unknown): Promise<string> {
      const { page } = visit;
      const forge = forgeOf(page);
      const done = await run(forge, page.number, action, body, onRecord(visit, action));
      const notice = done === 'merged' && (await isIndexed(page)) ? 'merged-indexing' : done;
      return withNotice(linkTo(page), notice);
    },
  };
}

async function run(
  forge: LocalForge,
  number: number,
  action: PullAction,
  body: unknown,
  within: Within,
): Promise<Notice> {
  switch (action) {
    case 'merge': {
      const head = (body as Record<string, unknown> | undefined)?.['head'];
      return forge.merge(number, typeof head === 'string' ? head : '', within);
    }
    case 'close':
      return (await forge.close(number, within)) ? 'closed' : 'not-open';
    case 'reopen':
      return (await forge.reopen(number, within)) ? 'reopened' : 'not-closed';
    case 'ready': {
      const pull = await forge.pull(number);
      if (pull?.state !== 'open') return 'not-open';
      // A second click changes nothing.
      if (pull.isDraft) await forge.pulls.update(number, { isDraft: false }, within);
      return 'ready';
    }
  }
}

const noPull = () => new DocentError('not_found', 'There is no such pull request.');
