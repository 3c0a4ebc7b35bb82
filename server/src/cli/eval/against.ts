/** `docent eval --against`: what a change of the documentation does to its test questions, for a repository's CI. */
import { relative, resolve, sep } from 'node:path';
import { neutralMarkdown } from '../../agent/publish/neutral-text.ts';
import { createFolderSource } from '../../docs/sources/folder-source.ts';
import { fileSettings } from '../../docs/sources/open-sources.ts';
import { readPages, treePages } from '../../docs/sources/tree-pages.ts';
import { parse } from '../../docs/parsing/parse.ts';
import { sourcesOf } from '../../platform/config/docs-config.ts';
import { DocentError } from '../../platform/errors.ts';
import { findCheckout, openCommit } from './commit-files.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import type { Page } from '../../retrieval/retriever.ts';
import { compareAnswers } from '../../reader/gaps/compare-answers.ts';
import type { EvalQuestion } from './eval-set.ts';

export interface AgainstResult {
  domain: string;
  commit: string;
  questions: number;
  answered: number;
  gained: string[];
  lost: string[];
}

/** Compares the files in the site's folders with those of a commit. Other sources don't count. */
export async function compareWithCommit(
  site: Site,
  questions: readonly EvalQuestion[],
  ref: string,
): Promise<AgainstResult> {
  const before = new Map<string, Page>();
  const after = new Map<string, Page>();
  let commit = '';
  for (const config of sourcesOf(site.docs)) {
    if (config.type !== 'folder') continue;
    const checkout = await findCheckout(config.folder);
    if (checkout === undefined) {
      throw new DocentError('bad_request', `${config.folder} is not in a git repository.`);
    }
    const files = await openCommit(checkout, ref);
    ({ commit } = files);
    const settings = { ...config, ...fileSettings(config, site.docs) };
    const here = await createFolderSource(settings).read({
      parse,
      isHeld: () => false,
      kept: undefined,
      onProgress: () => undefined,
      onWarning: () => undefined,
    });
    const folder = relative(checkout, resolve(config.folder)).replaceAll(sep, '/');
    // A folder that the commit doesn't have yet has no pages there.
    const isThere =
      [...files.paths()].some((path) => path.startsWith(`${folder}/`)) || folder === '';
    const there = isThere ? await treePages(files, { ...settings, folder }) : [];
    for (const [pages, all] of [
      [here.pages, after],
      [there, before],
    ] as const) {
      for (const page of await readPages(pages, config)) {
        if (!all.has(page.path)) all.set(page.path, page);
      }
    }
  }
  if (commit === '') {
    throw new DocentError(
      'bad_request',
      `${site.domain} has no folder of Markdown, so there is nothing to compare. Add a source of the type "folder" in a checkout of the repository.`,
    );
  }
  const compared = questions.map(({ question, relevant, before: earlier = [], ...one }) => ({
    text: question,
    relevant,
    history: earlier.map((asked) => ({ question: asked, answer: '' })),
    currentPath: one.currentPath,
    filter: one.filter,
  }));
  const pages = { before: [...before.values()], after: [...after.values()] };
  const { gained, lost, answered } = await compareAnswers({ site, questions: compared, ...pages });
  const textOf = (at: number) => questions[at]?.question ?? '';
  return {
    domain: site.domain,
    commit,
    questions: questions.length,
    answered,
    gained: gained.map(textOf),
    lost: lost.map(textOf),
  };
}

/** For the pull request. */
export function describeComparison(results: readonly AgainstResult[], ref: string): string {
  const parts = results.map(({ domain, questions, answered, gained, lost }) => {
    const rows = [
      ...lost.map((question) => ['No longer answered', question] as const),
      ...gained.map((question) => ['Now answered', question] as const),
    ];
    const table = rows.map(([what, question]) => `| ${what} | ${toCell(question)} |`);
    return [
      `### Test questions of ${toCell(domain)}`,
      '',
      `${answered} of ${questions} answered. Against ${toCell(ref)}: ${gained.length} gained, ${lost.length} lost.`,
      ...(rows.length > 0 ? ['', '| | Question |', '| --- | --- |', ...table] : []),
    ].join('\n');
  });
  return `${parts.join('\n\n')}\n`;
}

const toCell = (text: string) => neutralMarkdown(text).replaceAll(/\s+/g, ' ').trim();
