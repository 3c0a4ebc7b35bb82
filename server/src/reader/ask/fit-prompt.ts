/**
 * Makes the prompt fit into the model's context. The rules and the question always stay. What the
 * conversation, the page, and a selection have beyond their share goes first, then whole passages, the worst first:
 * half a passage would be cited as if all of it had been read.
 */
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ContextItem } from '@docent/shared/assistant';
import { countPrompt, countTokens } from '../../platform/models/model-server.ts';
import type { NamedModel } from '../../platform/models/model.ts';
import { estimatePrompt } from '../../budgets/cost.ts';
import type { FoundPassage, Page } from '../../retrieval/retriever.ts';
import type { PastTurn } from '../conversations/threads.ts';
import type { ArrangedResult } from './reader-pages.ts';

/** How much room there is, in tokens. */
interface Room {
  /** For the prompt, as we estimate tokens. */
  prompt: number;
  /** For the answer. */
  answer: number;
  /** For both, as we estimate tokens. */
  whole: number;
}

/** What a prompt may be made of less of. */
export interface Sides {
  found: ArrangedResult;
  history: PastTurn[];
  context: ContextItem[];
  page: Page | undefined;
}

/** An answer gets at most this share of the context, because passages are what answers it. */
const answerShare = 4;
const minAnswer = 256;
/** What the model's own template adds, and what an estimate may be wrong by. */
const frame = { tokens: 64, share: 0.95 };
/** The conversation, and the page with a selection, each get at most this share of the room. */
const sideShare = 4;

/** The least room that one of these models has. */
function roomOf(models: readonly NamedModel[]): Room | undefined {
  const rooms = models.flatMap((named): Room[] => {
    const context = named.server?.contextTokens() ?? named.contextTokens;
    if (context === undefined) return [];
    const answer = Math.min(named.maxTokens, Math.ceil(context / answerShare));
    const ours = frame.share / (named.server?.tokenRatio ?? 1);
    const whole = (context - frame.tokens) * ours;
    return [{ prompt: whole - answer * ours, answer, whole }];
  });
  const [first] = rooms.toSorted((a, b) => a.prompt - b.prompt);
  return first && { ...first, answer: Math.min(...rooms.map(({ answer }) => answer)) };
}

/**
 * The largest prompt of this kind that fits these models, and the most tokens of its answer: a long question
 * leaves it less. `undefined`: no model's context is known.
 */
export function fitPrompt<Made extends { prompt: LanguageModelV4Prompt }>(
  asked: Sides,
  make: (sides: Sides) => Made,
  models: readonly NamedModel[],
): Made & { maxOutputTokens: number | undefined } {
  const least = roomOf(models);
  if (!least) return { ...make(asked), maxOutputTokens: undefined };
  const { prompt: room, answer, whole } = least;
  const bound = (made: Made, tokens: number) => ({
    ...made,
    maxOutputTokens: Math.min(answer, Math.max(minAnswer, Math.floor(whole - tokens))),
  });
  const asIs = make(asked);
  // Nearly every prompt is far below nearly every context.
  const atMost = estimatePrompt(asIs.prompt) * farBelow;
  const tokens = atMost < room ? atMost : countPrompt(asIs.prompt);
  if (tokens <= room) return bound(asIs, tokens);
  const sides = {
    history: fitHistory(asked.history, room / sideShare),
    context: asked.context.map((item) => ({
      ...item,
      value: fitText(item.value, room / sideShare),
    })),
    // Its headings and its description help less than passages.
    page: asked.page && { ...asked.page, description: '', passages: [] },
  };
  const kept = new Set<FoundPassage>();
  let fitting = make({ ...sides, found: withOnly(asked.found, kept) });
  let needed = countPrompt(fitting.prompt);
  for (const passage of ranked(asked.found)) {
    if (needed + countTokens(passage.markdown) > room) continue;
    const found = withOnly(asked.found, new Set([...kept, passage]));
    const longer = make({ ...sides, found });
    const count = countPrompt(longer.prompt);
    if (count > room) continue;
    kept.add(passage);
    [fitting, needed] = [longer, count];
  }
  return bound(fitting, needed);
}

/** More than any text has for each token that `estimatePrompt` counts. */
const farBelow = 3;

/** The newest turns that fit, oldest first. */
function fitHistory(history: readonly PastTurn[], room: number): PastTurn[] {
  let left = room;
  const kept = history.toReversed().filter(({ question, answer }) => {
    left -= countTokens(question) + countTokens(answer);
    return left >= 0;
  });
  return kept.toReversed();
}

/** The beginning of a text that certainly fits. */
const fitText = (text: string, room: number): string =>
  countTokens(text) <= room ? text : text.slice(0, Math.floor(room)).toWellFormed();

/** The passages that the reader means first, then those that were found best. */
function ranked({ pages, ahead }: ArrangedResult): FoundPassage[] {
  const valued = pages.flatMap(({ score, passages }) => {
    const best = passages[0]?.score || 1;
    return passages.map((passage) => ({ passage, value: (score * passage.score) / best }));
  });
  const meant = valued.splice(0, ahead?.isMeant ? ahead.passages : 0);
  valued.sort((a, b) => b.value - a.value);
  return [...meant, ...valued].map(({ passage }) => passage);
}

function withOnly(found: ArrangedResult, kept: ReadonlySet<FoundPassage>): ArrangedResult {
  const { pages: all, ahead } = found;
  const pages = all
    .map((page) => ({ ...page, passages: page.passages.filter((one) => kept.has(one)) }))
    .filter(({ passages }) => passages.length > 0);
  const first = all.flatMap(({ passages }) => passages).slice(0, ahead?.passages);
  const passages = first.filter((one) => kept.has(one)).length;
  return { ...found, pages, ...(ahead && { ahead: { ...ahead, passages } }) };
}
