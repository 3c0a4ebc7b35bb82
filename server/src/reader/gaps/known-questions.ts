/** Questions that the documentation answers, by the pages that their answers came from. */
import type { Database } from '../../platform/store/database.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { pathsOnSite } from '../../retrieval/page-path.ts';

/** The newest ones, whose sources are looked at. */
const maxAnswers = 2_000;

export interface KnownQuestion {
  turnId: string;
  threadId: string;
  question: string;
  /** The pages among the given ones that answer it. */
  pages: string[];
}

/** The newest questions that one of these pages answers, each wording once. */
export async function knownQuestions(
  database: Database,
  { domain, docs }: Pick<Site, 'domain' | 'docs'>,
  paths: ReadonlySet<string>,
  most: number,
): Promise<KnownQuestion[]> {
  if (most === 0 || paths.size === 0) return [];
  const answered = await database
    .selectFrom('turns')
    .leftJoin('gap_questions', 'gap_questions.turn_id', 'turns.id')
    .select(['turns.id', 'thread_id', 'question', 'sources'])
    .where('domain', '=', domain)
    .where('outcome', '=', 'answered')
    .where('replaced_by', 'is', null)
    // Whether what was lost has an answer again, its gap knows.
    .where('gap_questions.lost_by', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('turns.id', 'desc')
    .limit(maxAnswers)
    .execute();
  const again = await database
    .selectFrom('gap_asks')
    .innerJoin('gap_questions', (join) =>
      join
        .onRef('gap_questions.turn_id', '=', 'gap_asks.turn_id')
        .onRef('gap_questions.answered_by', '=', 'gap_asks.id'),
    )
    .innerJoin('turns', 'turns.id', 'gap_asks.turn_id')
    .select(['turns.id', 'thread_id', 'question', 'gap_asks.sources'])
    .where('gap_asks.domain', '=', domain)
    .where('gap_asks.state', '=', 'done')
    .orderBy('gap_asks.id', 'desc')
    .limit(maxAnswers)
    .execute();
  const known = new Map<string, KnownQuestion>();
  /** Answers cite the same few pages. */
  const pageOf = new Map<string, string | undefined>();
  for (const { id, thread_id, question, sources } of [...again, ...answered]) {
    if (known.size === most) break;
    if (known.has(question)) continue;
    const cited = (JSON.parse(sources) as { url: string }[]).flatMap(({ url }) => {
      if (!pageOf.has(url))
        pageOf.set(
          url,
          pathsOnSite(docs.baseUrl, url).find((path) => paths.has(path)),
        );
      return pageOf.get(url) ?? [];
    });
    const pages = [...new Set(cited)];
    if (pages.length > 0) known.set(question, { turnId: id, threadId: thread_id, question, pages });
  }
  return [...known.values()];
}
