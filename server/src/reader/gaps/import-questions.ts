/**
 * Questions from elsewhere join the gaps: those that the documentation doesn't answer, in the three largest
 * themes of an import, so that one export doesn't bury what readers ask. Personal data goes first.
 */
import {
  type ImportedQuestion,
  type ImportReply,
  themesPerImport,
} from '@docent/shared/import-questions';
import { sha256 } from '../../platform/hash.ts';
import { newId } from '../../platform/ids.ts';
import { createPauses } from '../../platform/pauses.ts';
import { redact } from '../../platform/redaction/redact.ts';
import type { Database } from '../../platform/store/database.ts';
import { contentWords } from '../../retrieval/ranker/question.ts';
import { notFoundBelow, type Retriever } from '../../retrieval/retriever.ts';
import { alike, dot, joinGap, lengthOf, lockGaps, type Vector } from './join-gap.ts';

/** Stands for a model in the turns of imported conversations, which readers' figures don't count. */
export const importedModel = 'docent/import';

const maxQuotes = 5;
const maxQuote = 600;

interface Conversation {
  thread: string;
  question: string;
  answer: string;
}

export async function importQuestions(
  given: readonly ImportedQuestion[],
  domain: string,
  deps: { database: Database; now: () => Date; retriever: Pick<Retriever, 'search'> },
): Promise<ImportReply> {
  const { database, now, retriever } = deps;
  const all = new Map<string, Conversation>();
  for (const { id, question: asked, answer = '' } of given) {
    const question = redact(asked);
    const thread = `import_${sha256(JSON.stringify([domain, id ?? null, id ? '' : question]))}`;
    all.set(thread, { thread, question, answer: redact(answer) });
  }
  const before = await database
    .selectFrom('threads')
    .select('id')
    .where('id', 'in', [...all.keys(), ''])
    .execute();
  for (const { id } of before) all.delete(id);
  const open: Conversation[] = [];
  for (const one of all.values()) {
    const { question: text } = one;
    const { confidence } = await retriever.search(domain, { text, pageSize: 1, only: 'words' });
    if (confidence < notFoundBelow) open.push(one);
  }
  const themes = (await toThemes(open)).slice(0, themesPerImport);
  const reply: ImportReply = {
    joined: 0,
    known: given.length - all.size,
    covered: all.size - open.length,
    leftOut: open.length - themes.flat().length,
    themes: [],
  };
  const createdAt = now().toISOString();
  for (const theme of themes) {
    await database.transaction().execute(async (tx) => {
      await lockGaps(tx, domain);
      let place: { gap: string; topic: string } | undefined;
      let count = 0;
      for (const { thread, question, answer } of theme) {
        const turn = { id: newId(), domain, question };
        const { numInsertedOrUpdatedRows: isNew } = await tx
          .insertInto('threads')
          // Nobody's `fp` looks like this, so no reader can go on with it.
          .values({ id: thread, domain, fp: thread, created_at: createdAt })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow();
        if (!isNew) continue;
        await tx
          .insertInto('turns')
          .values({
            ...turn,
            thread_id: thread,
            status: 'complete',
            outcome: 'unanswered',
            context: '[]',
            answer,
            sources: '[]',
            model: importedModel,
            created_at: createdAt,
            finished_at: createdAt,
            owner: '',
            filter: '{}',
          })
          .execute();
        place = await joinGap(tx, { ...turn, createdAt }, place);
        count += 1;
      }
      reply.joined += count;
      reply.known += theme.length - count;
      if (!place) return;
      const quotes = theme.slice(0, maxQuotes).map(({ question, answer }) => ({
        question: question.slice(0, maxQuote),
        answer: answer.slice(0, maxQuote),
      }));
      reply.themes.push({ gapId: place.gap, question: quotes[0]?.question ?? '', count, quotes });
    });
  }
  return reply;
}

/** Conversations with similar words, the largest theme first. Each joins the most similar one before it. */
async function toThemes(open: readonly Conversation[]): Promise<Conversation[][]> {
  const themes: { sum: Vector; members: Conversation[] }[] = [];
  const uses = new Map<string, number>();
  const words = open.map(({ question }) => contentWords(question.slice(0, maxQuote)));
  for (const own of words) for (const word of own.keys()) uses.set(word, (uses.get(word) ?? 0) + 1);
  const pause = createPauses();
  for (const [at, one] of open.entries()) {
    const weighted = [...(words[at] ?? [])].map(([word, weight]): [string, number] => [
      word,
      weight * Math.log(1 + (open.length + 100) / (uses.get(word) ?? 1)),
    ]);
    const vector: Vector = new Map(weighted);
    let nearest: (typeof themes)[number] | undefined;
    let best = alike;
    for (const theme of themes) {
      await pause();
      const cosine = dot(vector, theme.sum) / (lengthOf(vector) * lengthOf(theme.sum) || 1);
      if (cosine > best) [nearest, best] = [theme, cosine];
    }
    if (!nearest) themes.push((nearest = { sum: new Map(), members: [] }));
    nearest.members.push(one);
    for (const [word, weight] of vector)
      nearest.sum.set(word, (nearest.sum.get(word) ?? 0) + weight);
  }
  return themes.map(({ members }) => members).toSorted((a, b) => b.length - a.length);
}
