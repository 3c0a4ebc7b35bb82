/** The current turns of a conversation: those that the model reads, and those that a new question replaces. */
import type { SearchFilter } from '@docent/shared/assistant';
import { DocentError } from '../../platform/errors.ts';
import { anonymous, pseudonym } from '../../platform/redaction/redact.ts';
import { isWithin } from '../../retrieval/filter.ts';
import type { Database } from '../../platform/store/database.ts';

/** How many turns of a conversation the model reads. */
const historyTurns = 10;

/** Replaces an answer that may contain what this question's filter hides. */
const withheld = '(This answer is left out: it was made from pages that this question leaves out.)';

/** An earlier question with its answer, which may be cut short. */
export interface PastTurn {
  question: string;
  answer: string;
}

/** The response is the same for a thread of another domain, of another reader, and one that never existed. */
export async function loadPast(
  database: Database,
  threadId: string,
  asker: { domain: string; fp: string },
) {
  const thread = await database
    .selectFrom('threads')
    .selectAll()
    .where('id', '=', threadId)
    // If two questions come at the same time, the second one reads what the first one wrote.
    .forUpdate()
    .executeTakeFirst();
  const isTheirs =
    thread?.domain === asker.domain &&
    (thread.fp === anonymous || thread.fp === pseudonym(asker.fp, asker.domain));
  if (!isTheirs) {
    throw new DocentError('not_found', 'There is no conversation with this threadId.');
  }
  return standing(database, threadId);
}

/** The last turns of a conversation that weren't replaced, oldest first. */
export async function standing(database: Database, threadId: string) {
  const turns = await database
    .selectFrom('turns')
    .select(['id', 'question', 'answer', 'filter'])
    .where('thread_id', '=', threadId)
    .where('replaced_by', 'is', null)
    .orderBy('id', 'desc')
    .limit(historyTurns)
    .execute();
  return turns.toReversed();
}

/** The first turn that a new one replaces. */
export async function findReplaced(
  database: Database,
  threadId: string | undefined,
  turn: { question: string; isRetry: boolean; replaces?: string | undefined },
  past: readonly { id: string; question: string }[],
): Promise<string | undefined> {
  if (threadId === undefined) return undefined;
  const { question, isRetry, replaces } = turn;
  if (replaces !== undefined) {
    const named = await database
      .selectFrom('turns')
      .select('id')
      .where('thread_id', '=', threadId)
      .where('replaced_by', 'is', null)
      // Chat SDKs also name our answer when they send a tool's result. That replaces nothing.
      .where(isRetry ? 'id' : 'question_id', '=', replaces)
      .orderBy('id')
      .executeTakeFirst();
    if (named) return named.id;
  }
  const last = past.at(-1);
  return isRetry && last?.question === question ? last.id : undefined;
}

export function toPastTurn(
  { question, answer, filter }: PastTurn & { filter: string | null },
  now: SearchFilter | undefined,
): PastTurn {
  const isShown = filter !== null && isWithin(JSON.parse(filter) as SearchFilter, now);
  return { question, answer: isShown || answer === '' ? answer : withheld };
}
