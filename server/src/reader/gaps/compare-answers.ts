/**
 * Which questions one state of the documentation answers and another doesn't, without a language model: by
 * the measure that decides whether the built-in model answers readers.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../platform/log.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { createEmbeddedRetriever } from '../../retrieval/embedded/embedded-retriever.ts';
import { pathsOnSite } from '../../retrieval/page-path.ts';
import type { Page } from '../../retrieval/retriever.ts';
import { askUnstored, callerFor, plainQuestion, unpaid } from '../ask/ask-unstored.ts';
import type { Question } from '../ask/question.ts';
import { createExtractiveModel } from '../extractive/extractive-model.ts';
import { unsaid } from '../words/words.ts';
import { createPaidSearch } from '../search/paid-search.ts';

export interface Compared extends Partial<Question> {
  text: string;
  /** Pages one of which has to be cited; none: any page will do. */
  relevant?: readonly string[] | undefined;
}

export interface Comparison {
  site: Site;
  questions: readonly Compared[];
  /** All pages that count, in both states. */
  before: readonly Page[];
  after: readonly Page[];
}

/** The positions of the questions that an answer was gained for, and lost. */
export interface AnswerChanges {
  gained: number[];
  lost: number[];
  answered: number;
}

export async function compareAnswers(comparison: Comparison): Promise<AnswerChanges> {
  const before = await answeredBy(comparison, comparison.before);
  const after = await answeredBy(comparison, comparison.after);
  const all = [...comparison.questions.keys()];
  return {
    gained: all.filter((at) => !before.has(at) && after.has(at)),
    lost: all.filter((at) => before.has(at) && !after.has(at)),
    answered: after.size,
  };
}

async function answeredBy(
  { site: { model: _model, fallback: _fallback, ...site }, questions }: Comparison,
  pages: readonly Page[],
): Promise<Set<number>> {
  const folder = await mkdtemp(join(tmpdir(), 'docent-compare-'));
  const retriever = createEmbeddedRetriever({ folder });
  const timeouts = { firstWordMs: 60_000, nextWordMs: 30_000 };
  const model = createExtractiveModel({ paceMs: 0 });
  const deps = {
    retriever,
    spend: unpaid,
    paidSearch: createPaidSearch({ retriever, spend: unpaid, hasEmbedder: false }),
    models: { forSite: () => [{ name: undefined, model, maxTokens: 0, timeouts }] as const },
    words: { of: async () => unsaid },
    log: createLog('silent'),
  };
  try {
    if (pages.length > 0) {
      await retriever.apply(site.domain, { upsert: [...pages], remove: [] });
    }
    const answered = new Set<number>();
    for (const [at, { text, relevant = [], ...more }] of questions.entries()) {
      const { outcome, sources } = await askUnstored(
        { question: plainQuestion(text, more), site, caller: callerFor('compare', site) },
        deps,
        new AbortController().signal,
      );
      const isCited = ({ url }: { url: string }) =>
        pathsOnSite(site.docs.baseUrl, url).some((path) => relevant.includes(path));
      if (outcome?.status !== 'answered') continue;
      if (relevant.length === 0 || sources.some(isCited)) answered.add(at);
    }
    return answered;
  } finally {
    await retriever.close();
    await rm(folder, { recursive: true, force: true });
  }
}
