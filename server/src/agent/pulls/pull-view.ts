/** A pull request of a repository on this machine, with what a reviewer reads of it. */
import type { LocalPull as PullReply, PullView } from '@docent/shared/job-pages';
import { DocentError } from '../../platform/errors.ts';
import { createOncePerKey } from '../../platform/lru.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import type { Forges } from '../forge/create-forges.ts';
import type { LocalForge } from '../forge/local/local-forge.ts';
import type { LocalPull } from '../forge/local/pulls.ts';
import { titleOf, userInstructions } from '../jobs/instructions.ts';
import { jobOfPull } from '../jobs/read-jobs.ts';
import { diffInWorker } from '../workspace/diff.ts';

/** Of all previews together, and of one. */
const maxPreviews = 20;
const maxPreviewBytes = 100_000;

type Changes = Pick<PullView, 'files' | 'moreFiles' | 'previews' | 'why'>;

export interface PullViewDeps {
  database: Database;
  forges: Pick<Forges, 'localForge'>;
}

export type PullViews = ReturnType<typeof createPullViews>;

export function createPullViews({ database, forges }: PullViewDeps) {
  /** Two commits always have the same changes. */
  const changes = createOncePerKey<Changes>(20);

  return {
    async read(project: Project, number: number): Promise<PullView> {
      const { forge, pull } = await findPull(forges, project, number);
      const [content, merge, job] = await Promise.all([
        contentOf(forge, pull),
        pull.state === 'merged' ? undefined : forge.mergeability(pull),
        jobOfPull(database, project.id, number),
      ]);
      const instructions = await userInstructions(database, job ? [job.id] : [], 'first');
      return {
        project: project.id,
        pull: showPull(pull),
        body: pull.body,
        ...content,
        conflicts: merge?.conflicts ?? null,
        job: job ? { id: job.id, title: titleOf(job, instructions.get(job.id)) } : null,
      };
    },
  };

  /** The head commit with its changes. */
  async function contentOf(forge: LocalForge, pull: LocalPull) {
    const head = pull.headCommit ?? (await forge.tip(pull.branch));
    const base = pull.state === 'open' ? await forge.tip(pull.base) : pull.baseCommit;
    const from = head && base ? await forge.mergeBase(base, head) : undefined;
    if (head === undefined || from === undefined) {
      const gone = without('The commits of this pull request are gone.');
      return { head: head ?? null, commits: [], ...gone };
    }
    const found = await forge.commitsBetween(from, head);
    const commits = found.map(({ id, author, message }) => {
      const [title = ''] = message.split('\n', 1);
      return { id, author, title };
    });
    const key = `${pull.project} ${from} ${head}`;
    return { head, commits, ...(await changes(key, () => readChanges(forge, from, head))) };
  }
}

async function readChanges(forge: LocalForge, from: string, head: string): Promise<Changes> {
  const changed = await forge.changesBetween(from, head).catch((error: Error) => {
    const { cause } = error;
    if (cause instanceof DocentError && cause.code === 'too_large') return undefined;
    throw error;
  });
  if (!changed) return without('The change is too large to show here. Read it with git.');
  const previews = changed.changes
    .flatMap(({ path, after }) =>
      after && /\.mdx?$/i.test(path) && after.length <= maxPreviewBytes
        ? [{ path, text: after.toString() }]
        : [],
    )
    .slice(0, maxPreviews);
  const files = await diffInWorker(changed.changes);
  return { files, moreFiles: changed.more, previews, why: null };
}

const without = (why: string): Changes => ({ files: [], moreFiles: 0, previews: [], why });

export const showPull = (pull: LocalPull): PullReply => ({
  number: pull.number,
  title: pull.title,
  state: pull.state,
  isDraft: pull.isDraft,
  branch: pull.branch,
  base: pull.base,
  createdAt: pull.createdAt,
  endedAt: pull.endedAt ?? null,
});

/** A pull request with its forge, up to date: somebody may have merged it with git. */
export async function findPull(
  forges: Pick<Forges, 'localForge'>,
  project: Project,
  number: number,
): Promise<{ forge: LocalForge; pull: LocalPull }> {
  const forge = forges.localForge(project);
  const pull = Number.isSafeInteger(number) ? await forge?.pull(number) : undefined;
  if (!forge || !pull) throw new DocentError('not_found', 'There is no such pull request.');
  return { forge, pull };
}

/** `NaN`: it isn't the number of a pull request. */
export const toPullNumber = (text: string): number =>
  /^[1-9]\d{0,8}$/.test(text) ? Number(text) : Number.NaN;
