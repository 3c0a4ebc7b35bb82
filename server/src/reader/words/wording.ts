/**
 * When two questions are the same, and what a skill is about. Both rules are simple, so that owners can tell
 * beforehand what happens: readers get a pinned answer word for word, so a wrong one is worse than none.
 */
import { wordingMaxCharacters } from '@docent/shared/words';
import { analyze, terms } from '../../retrieval/ranker/analysis.ts';
import { stopWords, weakWords } from '../../retrieval/ranker/stop-words.ts';

/** Words without which a question is still the same. Negations, "when", "where", and "from" aren't among them. */
const little: ReadonlySet<string> = new Set(
  `a an the am is are was were be been being do does did have has had i me my we us our you your it its there to of
   please just so also some any can could would will may hi hello hey thanks thank`.split(/\s+/),
);

/** Words of descriptions that say nothing about the topic. */
const ofDescriptions = new Set(
  terms('skill reader user question ask answer documentation docs page help about topic'),
);

/**
 * The words of a question, in their order, without capital letters, punctuation, word endings, and little
 * words. Two questions are the same if these are. Empty: the text is too long to be a pinned question.
 */
export function wordingOf(text: string): string {
  if (text.length > wordingMaxCharacters) return '';
  const all: string[] = [];
  const kept: string[] = [];
  analyze(text, (term, raw) => {
    all.push(term);
    if (!little.has(raw)) kept.push(term);
  });
  return (kept.length > 0 ? kept : all).join(' ');
}

export interface Described {
  name: string;
  description: string;
  keywords: readonly string[];
}

/** Only this much of a question is looked at. */
const maxQuestion = 2_000;

/**
 * How well a skill matches questions: the number of its keywords in them. Without keywords, the number of
 * words of its name and description, if it's at least two. 0: it doesn't match.
 */
export function matchSkill(skill: Described, questions: readonly string[]): number {
  const asked = questions.map((one) => ` ${terms(one.slice(0, maxQuestion)).join(' ')} `);
  const isAsked = (words: string) => asked.some((one) => one.includes(` ${words} `));
  if (skill.keywords.length > 0) {
    return skill.keywords.filter((keyword) => isAsked(terms(keyword).join(' '))).length;
  }
  const topic = new Set<string>();
  analyze(`${skill.name} ${skill.description}`, (term, raw) => {
    if (!stopWords.has(raw) && !weakWords.has(raw) && !ofDescriptions.has(term)) topic.add(term);
  });
  const shared = [...topic].filter(isAsked).length;
  return shared >= 2 ? shared : 0;
}
