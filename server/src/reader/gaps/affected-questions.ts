/** Says of a change that isn't merged yet which questions it would answer, and which answers it would lose. */
import { sourcesOf } from '../../platform/config/docs-config.ts';
import type { Logger } from '../../platform/log.ts';
import type { Database } from '../../platform/store/database.ts';
import type { AffectedQuestions, QuestionChanges } from '../../platform/tenants/projects.ts';
import type { Sites } from '../../platform/tenants/sites.ts';
import { type RunTaskOf, runInWorker } from '../../platform/workers/worker-pool.ts';
import { fileSettings } from '../../docs/sources/open-sources.ts';
import { readPages, treePages } from '../../docs/sources/tree-pages.ts';
import type { Page, Retriever } from '../../retrieval/retriever.ts';
import type { readerTasks } from '../reader-tasks.ts';
import { gapsOfJobs } from './asks.ts';
import { knownQuestions } from './known-questions.ts';

const run = runInWorker as RunTaskOf<typeof readerTasks>;

/** A job doesn't wait longer for this than for its other checks. */
const maxMs = 20_000;
/** Of known questions, and of those without an answer. */
const maxQuestions = 20;
/** Pages that the search finds for a question: the change has to compete with them. */
const rivals = 5;
const maxChanged = 100;

export interface AffectedDeps {
  database: Database;
  sites: Pick<Sites, 'find'>;
  retriever: Pick<Retriever, 'search' | 'page'>;
  log: Pick<Logger, 'warn'>;
  /** The address of a page of the dashboard. */
  linkTo: (path: string) => string;
}

export function createAffectedQuestions(deps: AffectedDeps): AffectedQuestions {
  return async function affectedQuestions({ signal, ...request }) {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
    try {
      return await affected({ ...request, signal: limited }, deps);
    } catch (err) {
      signal.throwIfAborted();
      // The pull request says nothing about questions then.
      deps.log.warn({ err, project: request.project.id }, 'questions were not compared');
      return undefined;
    }
  };
}

async function affected(
  { project, jobId, before, after, changed, signal }: Parameters<AffectedQuestions>[0],
  { database, sites, retriever, linkTo }: AffectedDeps,
): Promise<QuestionChanges | undefined> {
  const site = project.site === undefined ? undefined : sites.find(project.site);
  const config =
    site && sourcesOf(site.docs).find(({ type }) => type === 'git' || type === 'folder');
  if (!site || (config?.type !== 'git' && config?.type !== 'folder')) return undefined;
  if (changed.length > maxChanged) return undefined;
  const { domain } = site;
  // A folder on this machine is the project's folder of documentation.
  const folder = config.type === 'git' ? config.folder : project.docsRoot;
  const settings = { ...fileSettings(config, site.docs), folder };
  const isChanged = ({ from }: { from: string }) =>
    changed.some((path) => path === from || path === `${folder}/${from}`);
  const now = await treePages(after, settings, signal);
  const old = changed.every((path) => after.has(path))
    ? []
    : await treePages(before, settings, signal);
  const fresh = await readPages(now.filter(isChanged), config, signal);
  const stays = new Set(now.map(({ path }) => path));
  const gone = old.filter(({ path }) => !stays.has(path)).map(({ path }) => path);
  const touched = new Set([...fresh.map(({ path }) => path), ...gone]);
  if (touched.size === 0) return undefined;

  const known = await knownQuestions(database, site, touched, maxQuestions);
  const open = await openQuestions(database, domain, await gapsOfJobs(database, [jobId]));
  const questions = [...known, ...open].map(({ question }) => ({ text: question }));
  if (questions.length === 0) return undefined;
  const base = new Map<string, Page>();
  const keep = async (path: string) => {
    const page = base.has(path) ? undefined : await retriever.page(domain, path);
    if (page) base.set(path, page);
  };
  for (const path of touched) await keep(path);
  for (const { text } of questions) {
    signal.throwIfAborted();
    const found = await retriever.search(domain, { text, pageSize: rivals, only: 'words' }, signal);
    for (const { path } of found.pages) await keep(path);
  }
  const others = [...base.values()].filter(({ path }) => !touched.has(path));
  const pages = { before: [...base.values()], after: [...others, ...fresh] };
  const { gained, lost } = await run('compareAnswers', { site, questions, ...pages }, { signal });
  const link = (path: string) => linkTo(`${path}?site=${encodeURIComponent(domain)}`);
  const gaps = gained.flatMap((at) => open[at - known.length]?.gapId ?? []);
  return {
    asked: questions.length,
    gained: [...new Set(gaps)].map((id) => ({ url: link(`/gaps/${id}`) })),
    lost: lost.flatMap((at) => {
      const one = known[at];
      return one ? [{ url: link(`/conversations/${one.threadId}`), pages: one.pages }] : [];
    }),
  };
}

/** Questions without an answer: first those of these gaps, then the newest others. */
async function openQuestions(database: Database, domain: string, gaps: readonly string[]) {
  const read = (isOwn: boolean) =>
    database
      .selectFrom('gap_questions')
      .innerJoin('gaps', 'gaps.id', 'gap_questions.gap_id')
      .innerJoin('turns', 'turns.id', 'gap_questions.turn_id')
      .select(['gap_id as gapId', 'question'])
      .where('gaps.domain', '=', domain)
      .where('gaps.state', '=', 'open')
      .where('answered_by', 'is', null)
      .where('replaced_by', 'is', null)
      .where('gap_id', isOwn ? 'in' : 'not in', [...gaps, ''])
      .orderBy('turns.id', 'desc')
      .limit(maxQuestions)
      .execute();
  const all = [...(await read(true)), ...(await read(false))];
  const byText = new Map(all.toReversed().map((one) => [one.question, one]));
  return [...byText.values()].toReversed().slice(0, maxQuestions);
}
