import { promises } from '@docent/shared/promises';

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
