import type { ContextItem, SearchFilter } from '@docent/shared/assistant';
import { promises } from '@docent/shared/promises';
import type { AnswerStamp, AnswerStatus, FinishReason } from '@docent/shared/stream';
import type { Selectable } from 'kysely';
import { newId } from '../../platform/ids.ts';
import { anonymous, pseudonym, redact } from '../../platform/redaction/redact.ts';
import type { Database } from '../../platform/store/database.ts';
import type { NoteMade } from '../../platform/store/idempotency.ts';
import type { Processes } from '../../platform/store/processes.ts';
import type { TurnStatus } from '../tables.ts';
import type { Tables } from '../../platform/store/tables.ts';
import { DocentError } from '../../platform/errors.ts';
import { isWithin } from '../../retrieval/retriever.ts';
import type { Question } from '../ask/question.ts';
import { joinGap } from '../gaps/join-gap.ts';

/** An earlier question with its answer, which may be cut short. */
export interface PastTurn {
  question: string;
  answer: string;
  /** The answer asked back, and these are what it offered. */
  choices?: string[];
}

/**
 * The newest part of a conversation, oldest turn first, as much as a question may send along. The oldest
 * turn of it may be cut. Conversations grow by themselves, so they aren't refused.
 */
export function newestTurns(turns: readonly PastTurn[]): PastTurn[] {
  const newest: PastTurn[] = [];
  let room: number = promises.historyMaxCharacters;
  const take = (text: string, length: number) => {
    const taken = text.slice(0, Math.min(length, room)).toWellFormed();
    room -= taken.length;
    return taken;
  };
  for (const turn of turns.slice(-promises.historyMaxTurns).toReversed()) {
    if (room === 0) break;
    const question = take(turn.question, promises.questionMaxCharacters);
    newest.unshift({ ...turn, question, answer: take(turn.answer, room) });
  }
  return newest;
}

/**
 * Prefix of the id of a conversation that isn't stored. A question with such an id starts from the
 * client's own history, so clients need no special case.
 */
export const unstored = 'unstored_';

/** A section of a page that an answer uses, as the reader sees it. */
export interface Source {
  /** The number in citations: `1` for `[1]`. */
  id: string;
  url: string;
  title: string;
  /** Of its page, if the site has versions. */
  version?: string;
}

/** A passage that the search found. Scores are comparable within one search only. */
export interface UsedPassage {
  url: string;
  title: string;
  score: number;
}

export interface NewTurn extends Omit<Question, 'text' | 'history' | 'pageSize' | 'store'> {
  domain: string;
  question: string;
  model: string;
  /** Whether this turn may be stored. */
  isStored: boolean;
  /** Digest of the client's chat id, by which an answer in progress is found. */
  chat?: string | undefined;
  /** Notes that this question was asked, in the transaction that opens the turn. */
  note?: NoteMade | undefined;
}

export interface OpenTurn {
  threadId: string;
  turnId: string;
  /** Oldest first; empty for a new thread. */
  history: PastTurn[];
  /** Whether we have the conversation. If so, the client's own history doesn't count. */
  isHistoryOurs: boolean;
}

export interface EndedTurn {
  status: Exclude<TurnStatus, 'running' | 'interrupted'>;
  /** The model that was asked last, if it isn't the one that the turn began with. */
  model?: string;
  finishReason?: FinishReason;
  /** Set for a complete answer, unless it asks back. */
  outcome?: Pick<AnswerStatus, 'status' | 'confidence'>;
  answer: string;
  sources: Source[];
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  microDollars?: number;
  firstTextMs?: number | undefined;
  searchMs?: number | undefined;
  /** What the pages were like. */
  stamp?: AnswerStamp | undefined;
  /** What the model was given. */
  passages?: readonly UsedPassage[];
  /** What a question back offers. */
  choices?: readonly string[];
  /** What the reader's choice was about, in full, if it isn't the question itself. */
  question?: string;
}

export type Threads = ReturnType<typeof createThreads>;

/**
 * Conversations. A turn is written when its answer begins and when it ends, each time in one transaction.
 * Texts of readers and models are stored without personal data and secrets.
 */
export function createThreads(deps: {
  database: Database;
  now: () => Date;
  processes: Pick<Processes, 'id' | 'living'>;
}) {
  const { database, now, processes } = deps;

  return {
    async open(turn: NewTurn): Promise<OpenTurn> {
      const known = turn.threadId?.startsWith(unstored) ? undefined : turn.threadId;
      if (!turn.isStored) return openUnstored(turn, known);
      // Before the transaction, which holds SQLite's only write lock.
      const question = redact(turn.question);
      const context = JSON.stringify(turn.context.map(withoutSecrets));
      const asked_on = turn.currentPath === undefined ? null : redact(turn.currentPath);
      return database.transaction().execute(async (transaction) => {
        const threadId = known ?? newId();
        const turnId = newId();
        const createdAt = now().toISOString();
        const past = known === undefined ? [] : await loadPast(transaction, known, turn);
        const replaced = await findReplaced(transaction, known, { ...turn, question }, past);
        if (known === undefined) {
          const fp = pseudonym(turn.fp, turn.domain);
          await transaction
            .insertInto('threads')
            .values({ id: threadId, domain: turn.domain, fp, created_at: createdAt })
            .execute();
        }
        if (known !== undefined && replaced !== undefined) {
          await transaction
            .updateTable('turns')
            .set({ replaced_by: turnId })
            .where('thread_id', '=', known)
            .where('id', '>=', replaced)
            .where('replaced_by', 'is', null)
            .execute();
        }
        const history =
          known === undefined || replaced === undefined ? past : await standing(transaction, known);
        await transaction
          .insertInto('turns')
          .values({
            id: turnId,
            thread_id: threadId,
            domain: turn.domain,
            status: 'running',
            question,
            context,
            answer: '',
            sources: '[]',
            model: turn.model,
            created_at: createdAt,
            question_id: turn.questionId ?? null,
            chat: turn.chat ?? null,
            owner: processes.id,
            filter: JSON.stringify(turn.filter ?? {}),
            asked_on,
          })
          .execute();
        await turn.note?.(transaction, turnId);
        return {
          threadId,
          turnId,
          history: newestTurns(history.map((past) => toPastTurn(past, turn.filter))),
          isHistoryOurs: known !== undefined,
        };
      });
    },

    /**
     * Ends a turn once. If other processes took this one for dead too early and ended the turn as
     * interrupted, its own result counts. A question without an answer joins a gap.
     */
    async end(turnId: string, ended: EndedTurn): Promise<void> {
      const values = {
        status: ended.status,
        answer: redact(ended.answer),
        outcome: ended.outcome?.status ?? null,
        confidence: ended.outcome?.confidence ?? null,
        finish_reason: ended.finishReason ?? null,
        ...(ended.model !== undefined && { model: ended.model }),
        sources: JSON.stringify(ended.sources),
        input_tokens: ended.inputTokens ?? null,
        output_tokens: ended.outputTokens ?? null,
        micro_dollars: ended.microDollars ?? null,
        first_text_ms: toWhole(ended.firstTextMs),
        search_ms: toWhole(ended.searchMs),
        passages: ended.passages === undefined ? null : JSON.stringify(ended.passages),
        stamp: ended.stamp === undefined ? null : JSON.stringify(ended.stamp),
        choices: ended.choices === undefined ? null : JSON.stringify(ended.choices),
        ...(ended.question !== undefined && { question: redact(ended.question) }),
        finished_at: now().toISOString(),
        chat: null,
      };
      const end = (tx: Database) =>
        tx
          .updateTable('turns')
          .set(values)
          .where('id', '=', turnId)
          .where('status', 'in', ['running', 'interrupted'])
          .returning(['id', 'domain', 'question', 'created_at as createdAt'])
          .executeTakeFirst();
      if (values.outcome !== 'unanswered') return void (await end(database));
      await database.transaction().execute(async (tx) => {
        const turn = await end(tx);
        if (turn) await joinGap(tx, turn);
      });
    },

    /** Ends the turns that a dead process left running. */
    async endInterrupted(): Promise<number> {
      const result = await database
        .updateTable('turns')
        .set({ status: 'interrupted', finished_at: now().toISOString(), chat: null })
        .where('status', '=', 'running')
        .where('owner', 'not in', processes.living())
        .executeTakeFirst();
      return Number(result.numUpdatedRows);
    },
  };

  /** Writes nothing. Earlier stored turns of the conversation can still be read. */
  async function openUnstored(turn: NewTurn, known: string | undefined): Promise<OpenTurn> {
    const past = known === undefined ? [] : await loadPast(database, known, turn);
    return {
      threadId: turn.threadId ?? unstored + newId(),
      turnId: newId(),
      history: newestTurns(past.map((each) => toPastTurn(each, turn.filter))),
      isHistoryOurs: known !== undefined,
    };
  }
}

const toWhole = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms));

function withoutSecrets(item: ContextItem): ContextItem {
  return { ...item, value: redact(item.value), ...(item.path && { path: redact(item.path) }) };
}

/** Replaces an answer that may contain what this question's filter hides. */
const withheld = '(This answer is left out: it was made from pages that this question leaves out.)';

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
    .select(['id', 'question', 'answer', 'filter', 'choices'])
    .where('thread_id', '=', threadId)
    .where('replaced_by', 'is', null)
    .orderBy('id', 'desc')
    .limit(promises.historyMaxTurns)
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
  {
    question,
    answer,
    filter,
    choices,
  }: Pick<Selectable<Tables['turns']>, 'question' | 'answer' | 'filter' | 'choices'>,
  now: SearchFilter | undefined,
): PastTurn {
  const isShown = filter !== null && isWithin(JSON.parse(filter) as SearchFilter, now);
  return {
    question,
    answer: isShown || answer === '' ? answer : withheld,
    ...(choices !== null && { choices: JSON.parse(choices) as string[] }),
  };
}
