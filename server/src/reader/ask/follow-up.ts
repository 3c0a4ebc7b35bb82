/**
 * Which questions do not stand by themselves, and what of the conversation they lean on. Told by the
 * words alone: no model is needed, and what it takes is next to nothing.
 */
import { contentWords } from '../../retrieval/ranker/question.ts';

/** How a question begins that goes on from the one before; English, German, French, Spanish. */
const goesOn =
  /^(and|but|or|so|also|then|what about|how about|what if|why|ok(ay)?|only|on|in|for|from|with|without|und|aber|oder|was ist mit|wie ist es|warum|et|mais|ou|pourquoi|y|pero|por qué|¿(y|pero|por qué))\b/i;

/** Words that point back at what was said before. "Is there a way" and "a function that returns" do not. */
const pointsBack = new RegExp(
  [
    String.raw`\b(it|its|they|them|their|theirs|those|these|above|again|instead|the same|the former|the latter)\b`,
    String.raw`(?<!\b(is|are|was|were) )\bthere\b(?! (is|are|a|an|any|some)\b)`,
    String.raw`\bthis\b(?=\s*([?.,!;]|$|too\b|work\b|mean\b|do\b|for\b|with\b))`,
    String.raw`(?<=\b(do|does|did|is|was|can|could|will|would|should|with|for|of|about|like|after|before|turn|test|use|change|set|disable|enable|configure|get|run|stop|avoid|fix) )that\b`,
    String.raw`\bones?\b(?=\s*([?.,!;]|$|and\b|or\b|on\b|in\b|for\b|too\b))`,
    String.raw`\b(es|damit|davon|dafür|daran|darin|dabei|dort|dasselbe|diese[rsmn]?|ça|cela|celui|celle|ceux|eso|esto|ello|allí)\b`,
  ].join('|'),
  'iu',
);

/** A question of this many words at most has hardly named what it is about. */
const shortWords = 3;
/** With so many content words before it, a pronoun stands for one of those. */
const ownAntecedents = 4;
/** How far back a chain of follow-ups is followed. */
const longestChain = 2;

export function leansBack(text: string): boolean {
  const plain = text.trim();
  if (goesOn.test(plain) || plain.split(/\s+/).length <= shortWords) return true;
  const pointer = pointsBack.exec(plain);
  if (!pointer) return false;
  const named = [...contentWords(plain.slice(0, pointer.index), true).values()];
  return named.filter((weight) => weight === 1).length < ownAntecedents;
}

/**
 * Earlier questions that this one needs, the last first: back to the one that stands by itself. None,
 * where it does; so a change of topic drags nothing along.
 */
export function earlierQuestions(text: string, asked: readonly string[]): string[] {
  const needed: string[] = [];
  let leaning = text;
  for (const earlier of asked.toReversed()) {
    if (!leansBack(leaning) || needed.length === longestChain) break;
    needed.push(earlier);
    leaning = earlier;
  }
  return needed;
}
