/**
 * A question that came with a name of its own is answered once, whichever processes it is sent to, and
 * however close together: the first to write its row begins the answer, the others read that one. Only
 * where the database is shared.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DocentError } from '../../errors.ts';
import type { NewId } from '../../ids.ts';
import type { Logger } from '../../log.ts';
import type { Database } from '../../store/database.ts';
import type { Processes } from '../../store/processes.ts';

/** How often those who wait look whether the answer has been laid open. */
const lookEveryMs = 100;
/** Until an answer is open it may be held up by a limit, and its search by a slow engine. */
const mostLooks = 300;
/** A row whose process never deleted it: it died. */
const leftoverMs = 3_600_000;

export interface QuestionClaimsParts {
  database: Database;
  processes: Pick<Processes, 'id' | 'living'>;
  now: () => Date;
  newId: NewId;
  log: Pick<Logger, 'warn'>;
}

/** A question by its name, see access.ts. */
export interface NamedQuestion {
  claim: string;
  /** A digest of what it asks. */
  asked: string;
}

export const askedOther = () =>
  new DocentError('conflict', 'This `Idempotency-Key` was sent with another question.');

export type QuestionClaims = ReturnType<typeof createQuestionClaims>;

export function createQuestionClaims(parts: QuestionClaimsParts) {
  const { database, processes, now, newId, log } = parts;
  /** Rows of this process: by what each is known as this process's own taking of it. */
  const mine = new Map<string, string>();
  let isClosed = false;

  async function take({ claim, asked }: NamedQuestion): Promise<boolean> {
    const taking = newId();
    const taken = await database
      .insertInto('question_claims')
      .values({ claim, asked, taking, owner: processes.id, taken_at: now().toISOString() })
      .onConflict((conflict) => conflict.doNothing())
      .returning('claim')
      .execute();
    if (taken.length > 0) mine.set(claim, taking);
    return taken.length > 0;
  }

  /** Of several at once that see the same dead owner, one succeeds. */
  async function takeOver(claim: string, before: string): Promise<boolean> {
    const taking = newId();
    const taken = await database
      .updateTable('question_claims')
      .set({ taking, owner: processes.id, taken_at: now().toISOString() })
      .where('claim', '=', claim)
      .where('taking', '=', before)
      .returning('claim')
      .execute();
    if (taken.length > 0) mine.set(claim, taking);
    return taken.length > 0;
  }

  async function read(claim: string) {
    const row = await database
      .selectFrom('question_claims')
      .select([
        'asked',
        'taking',
        'owner',
        (row) => row('owner', 'in', processes.living()).as('lives'),
      ])
      .where('claim', '=', claim)
      .executeTakeFirst();
    // What is in nobody's hands any more; of this process too, where it could not be given back.
    return row && { ...row, isLeft: !row.lives || row.owner === processes.id };
  }

  async function giveBack(claim: string): Promise<void> {
    const taking = mine.get(claim);
    if (taking === undefined) return;
    mine.delete(claim);
    await database
      .deleteFrom('question_claims')
      .where('claim', '=', claim)
      .where('taking', '=', taking)
      .execute();
  }

  return {
    /**
     * Begins the answer, or finds the one that another process makes. Where that one refused it, or
     * died before the answer could be read, it is begun here.
     */
    async once<Mine, Theirs>(
      question: NamedQuestion,
      begin: () => Promise<Mine>,
      find: () => Promise<Theirs | undefined>,
    ): Promise<Mine | Theirs> {
      const { claim, asked } = question;
      const beginMine = async () => {
        try {
          return await begin();
        } catch (error) {
          // It was refused: the reader may send it again.
          await giveBack(claim);
          throw error;
        }
      };
      for (let look = 0; look < mostLooks; look += 1) {
        if (await take(question)) return beginMine();
        const known = await read(claim);
        if (!known) continue;
        if (known.asked !== asked) throw askedOther();
        const there = await find();
        if (there !== undefined) return there;
        if (known.isLeft && (await takeOver(claim, known.taking))) return beginMine();
        await sleep(lookEveryMs);
      }
      throw new DocentError(
        'unavailable',
        'This question is being answered already. Please ask again in a moment.',
        { retryAfter: 5 },
      );
    },

    /** An answer that another process is about to open, once it is there. */
    async waitFor<Theirs>(
      claim: string,
      find: () => Promise<Theirs | undefined>,
    ): Promise<Theirs | undefined> {
      for (let look = 0; look < mostLooks; look += 1) {
        const known = await read(claim);
        if (!known || known.isLeft) return undefined;
        const there = await find();
        if (there !== undefined) return there;
        await sleep(lookEveryMs);
      }
      return undefined;
    },

    /** The answer can be read no longer: its name is free again. */
    release(claim: string): void {
      if (isClosed) return;
      giveBack(claim).catch((err: unknown) => {
        log.warn({ err }, 'the name of a question was not given back');
      });
    },

    /** This process stops: what it has answered is still read elsewhere, by the same names. */
    close(): void {
      isClosed = true;
    },

    async deleteLeftovers(): Promise<void> {
      const before = new Date(now().getTime() - leftoverMs).toISOString();
      await database.deleteFrom('question_claims').where('taken_at', '<', before).execute();
    },
  };
}
