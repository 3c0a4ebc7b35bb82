/**
 * What a reader gets to read of a model's answer: cleaned, never empty, never cut without a word about
 * it, and what kind of answer it was.
 */
import type { AnswerStatus } from '@docent/shared/stream';
import type { Site } from '../../platform/tenants/sites.ts';
import { statusOf } from './answer-status.ts';
import { type AnswerKind, type AnswerMark, kindOf } from '../output-filter/answer-mark.ts';
import { type CleanAnswer, createCleanAnswer } from '../output-filter/clean-answer.ts';
import { createLinkPolicy } from '../output-filter/link-policy.ts';
import { quote } from '../extractive/extractive-model.ts';
import { type NumberedPassage, notFoundSentence, refusedSentence } from './prompt.ts';
import type { Source } from '../conversations/threads.ts';

export interface ReaderTextParts {
  site: Site;
  question: string;
  sources: Source[];
  passages: NumberedPassage[];
  isFound: boolean;
  mark: AnswerMark | undefined;
}

/** Said where the model stopped at its greatest length. */
const cutSentence =
  '*The answer ends here because it reached the greatest length. Ask for the part that is missing.*';

const quotedSentence =
  '*The language model gave no answer, so this is quoted from the documentation.*';

export function createReaderText(parts: ReaderTextParts) {
  const { site, question, sources, passages, isFound, mark } = parts;
  const ids = new Set(sources.map((source) => source.id));
  const rules = {
    links: createLinkPolicy(
      site,
      passages,
      sources.map((source) => source.url),
    ),
    // A refusal has no sources, so it cites none.
    numbers: { has: (id: string) => ids.has(id) && kindOf(filter.kind) !== 'refused' },
    isInDocs: (text: string) => passages.some(({ markdown }) => markdown.includes(text)),
  };
  const filter: CleanAnswer = createCleanAnswer({ ...rules, mark });
  /** What it was, where the model did not come to say so. */
  let ending: AnswerKind | undefined;
  let isQuoted = false;

  /** The model wrote nothing for the reader: the built-in answer takes its place. */
  function instead(reason: string): string {
    const kind = kindOf(filter.kind);
    // The provider's own filter has kept the answer back.
    if (kind === 'refused' || reason === 'content-filter') {
      ending = 'refused';
      return refusedSentence;
    }
    const quoted = isFound && kind !== 'unanswered' ? quote(question, passages) : undefined;
    if (quoted === undefined) {
      ending = 'unanswered';
      return notFoundSentence;
    }
    isQuoted = true;
    ending = 'answered';
    const quotation = createCleanAnswer({ ...rules, mark: undefined });
    return `${quotedSentence}\n\n${quotation.push(quoted)}${quotation.end()}`;
  }

  return {
    push: (delta: string): string => filter.push(delta),

    /** What is left to say when the model has ended, for this reason. */
    *end(reason: string): Generator<string, void, undefined> {
      yield filter.end();
      if (filter.isBlank) yield instead(reason);
      else if (reason === 'length') yield filter.closing + cutSentence;
    },

    /** Known when the first words are shown: sources are no ornament of a refusal. */
    get mayNameSources(): boolean {
      const kind = ending ?? kindOf(filter.kind);
      return isFound && (kind === undefined || kind === 'answered');
    },
    /** The passages were quoted in the model's place. */
    get isQuoted(): boolean {
      return isQuoted;
    },
    statusOf: (text: string): AnswerStatus['status'] =>
      statusOf({ text, kind: ending ?? kindOf(filter.kind), isFound }),
  };
}
