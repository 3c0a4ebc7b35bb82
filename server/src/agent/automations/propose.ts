/**
 * What an automation could do about the last 30 days of a code repository, and about what that would cost:
 * without a model, and without a job. A page is proposed if it names, as code, something of a changed line
 * that few other pages name.
 */
import { isDocsFile } from '../checks/docs-state.ts';
import type { CodeProposals } from '@docent/shared/automations';
import type { Config } from '../../platform/config/schema.ts';
import { createPauses } from '../../platform/pauses.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import { dayMs } from '../../platform/time.ts';
import { costOf, estimateTokens, toDollars } from '../../budgets/cost.ts';
import { pageEnding } from '../../docs/generators/paths.ts';
import type { OpenCode } from '../code/code.ts';
import type { Forges } from '../forge/create-forges.ts';
import { docsFilesOf } from '../workspace/tree.ts';
import { findTip } from './find.ts';

const days = 30;
const maxPages = 50;
const maxWords = 5;
/** A word that more pages name says little about each. */
const maxShare = 0.1;
/** About what a step of a job reads besides the change and the pages, and what it writes. */
const stepTokens = 4_000;
const writtenTokens = 400;
const stepsOf = (pages: number) => 4 + 2 * pages;

export async function proposeForCode(
  deps: {
    forges: Pick<Forges, 'forProject'>;
    openCode: OpenCode;
    models: Config['models'];
  },
  { project, repository, now }: { project: Project; repository: string; now: Date },
  signal: AbortSignal,
): Promise<CodeProposals> {
  const code = await deps.openCode(project, repository, signal);
  const commit = await code.commit();
  const time = new Date(now.getTime() - days * dayMs);
  const since = await code.commitBefore(commit, time);
  const none = { commit, since: since ?? null, days, commits: 0, proposals: [], estimate: null };
  if (since === undefined || since === commit) return none;
  const { commits } = await code.changeSince(since, commit);
  const changes = await code.changesBetween(since, commit);
  const filesOf = new Map<string, Set<string>>();
  let changed = 0;
  for (const { path, before, after } of changes) {
    const lines = changedLines(before, after);
    changed += estimateTokens(lines.join('\n'));
    for (const word of lines.flatMap(wordsOf)) {
      filesOf.set(word, (filesOf.get(word) ?? new Set()).add(path));
    }
  }

  const { forge, commit: tip } = await findTip(deps.forges, { project, signal });
  const files = docsFilesOf(await forge.openTree(tip, signal), signal);
  const pages = [...files.paths()].filter(
    (path) => pageEnding.test(path) && isDocsFile(path, project.docsRoot),
  );
  const pagesOf = new Map<string, string[]>();
  const sizes = new Map<string, number>();
  const pause = createPauses();
  for (const [path, bytes] of await files.read(pages, signal)) {
    const text = bytes.toString('utf8');
    sizes.set(path, estimateTokens(text));
    for (const word of new Set(wordsOf(text))) {
      const isMeant = filesOf.has(word) && (/[_\d]|[a-z][A-Z]/.test(word) || isCode(text, word));
      if (isMeant) pagesOf.set(word, [...(pagesOf.get(word) ?? []), path]);
    }
    await pause();
  }
  const found = new Map<string, string[]>();
  for (const [word, named] of pagesOf) {
    if (named.length > Math.max(2, pages.length * maxShare)) continue;
    for (const page of named) found.set(page, [...(found.get(page) ?? []), word]);
  }
  const proposals = [...found]
    .toSorted(([a, x], [b, y]) => y.length - x.length || a.localeCompare(b))
    .slice(0, maxPages)
    .map(([page, words]) => ({
      page,
      words: words.slice(0, maxWords),
      files: [...new Set(words.flatMap((word) => [...(filesOf.get(word) ?? [])]))].slice(
        0,
        maxWords,
      ),
    }));
  if (proposals.length === 0) return { ...none, commits: commits.length };
  const steps = stepsOf(proposals.length);
  const read = proposals.reduce((sum, { page }) => sum + (sizes.get(page) ?? 0), changed);
  const usage = { inputTokens: steps * (stepTokens + read), outputTokens: steps * writtenTokens };
  const price = project.model === undefined ? undefined : deps.models[project.model]?.price;
  const { tokens, microDollars } = costOf(usage, price);
  const estimate = { tokens, costUsd: price ? toDollars(microDollars) : null };
  return { ...none, commits: commits.length, proposals, estimate };
}

const wordsOf = (text: string): string[] => text.match(/[A-Za-z_][A-Za-z0-9_]{3,}/g) ?? [];
const isCode = (text: string, word: string) => text.includes(`\`${word}`);

/** Lines that only one of two texts has. Bytes that are no text have none. */
function changedLines(before: Buffer | undefined, after: Buffer | undefined): string[] {
  if (before?.includes(0) || after?.includes(0)) return [];
  const [old, now] = [linesOf(before), linesOf(after)];
  const only = (one: Set<string>, other: Set<string>) =>
    [...one].filter((line) => !other.has(line));
  return [...only(old, now), ...only(now, old)];
}

const linesOf = (bytes: Buffer | undefined) => new Set(bytes?.toString('utf8').split('\n'));
