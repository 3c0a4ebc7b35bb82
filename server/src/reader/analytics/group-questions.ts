import { setImmediate as breathe } from 'node:timers/promises';
import { contentWords } from '../../retrieval/ranker/question.ts';

/** The minimum similarity of a question to its group: the cosine of their words, weighted by rarity. */
const alike = 0.45;

/** A longer text isn't one question; its rarest words say what it's about. */
const maxCharacters = 2_000;
const maxWords = 24;
/** Groups that a question is compared with, those that share its rarest words first. */
const maxNear = 50;

export interface GroupedQuestion {
  id: string;
  text: string;
  /** The group that a person put it into. */
  group?: string | undefined;
}

export interface QuestionGroup<Question extends GroupedQuestion> {
  /** In the order of their ids. */
  questions: Question[];
  /** The question that is most similar to all others. */
  representative: Question;
  /** The terms that they share, the most important first. */
  words: string[];
  /** The group that a person made. */
  group: string | undefined;
}

/**
 * Groups questions that ask for the same, by the words that the search uses. In the order of their ids, each
 * question joins the nearest group or starts one; then all are assigned once more to these groups. Questions
 * that a person put into a group stay there, and others may join them. The same questions always result in
 * the same groups.
 */
export async function groupQuestions<Question extends GroupedQuestion>(
  given: readonly Question[],
): Promise<QuestionGroup<Question>[]> {
  const questions = given.toSorted((a, b) => a.id.localeCompare(b.id));
  const vectors = toVectors(questions.map((question) => question.text));
  let groups: Group[] = [];
  let groupOf = await assign(vectors, groups, true);
  groups = regroup(vectors, groupOf);
  groupOf = await assign(vectors, groups, false);
  groups = asDecided(regroup(vectors, groupOf), vectors, questions);
  return groups
    .map((group) => describe(group, vectors, questions))
    .toSorted(
      (a, b) =>
        b.questions.length - a.questions.length ||
        a.representative.id.localeCompare(b.representative.id),
    );
}

type Vector = Map<string, number>;

interface Group {
  members: number[];
  /** Sum of the members' vectors. */
  sum: Vector;
}

/** Added to the number of questions. Otherwise, among few questions, shared words would count nothing. */
const unseen = 100;

/** The rarest content words of each question first, weighted by rarity and scaled to length 1. */
function toVectors(texts: string[]): Vector[] {
  const words = texts.map((text) => contentWords(text.slice(0, maxCharacters)));
  const counts = new Map<string, number>();
  for (const each of words) {
    for (const word of each.keys()) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return words.map((each) => {
    const weighted = [...each].map(([word, weight]): [string, number] => {
      const rarity = Math.log(1 + (texts.length + unseen) / (counts.get(word) ?? 1));
      return [word, weight * rarity];
    });
    const rarest = weighted.toSorted(([, a], [, b]) => b - a).slice(0, maxWords);
    return scaled(new Map(rarest));
  });
}

/** The nearest group of each question, among the groups that share a word with it. */
async function assign(vectors: Vector[], groups: Group[], mayBegin: boolean): Promise<number[]> {
  const byWord = new Map<string, Set<number>>();
  const note = (group: number, vector: Vector) => {
    for (const word of vector.keys()) {
      byWord.set(word, (byWord.get(word) ?? new Set<number>()).add(group));
    }
  };
  groups.forEach((group, index) => note(index, group.sum));
  const lengths = groups.map((group) => lengthOf(group.sum));
  const groupOf: number[] = [];
  for (const [question, vector] of vectors.entries()) {
    // Thousands of questions take a second, so other requests get their turn.
    if (question % 50 === 49) await breathe();
    const near = nearGroups(vector);
    let best = -1;
    let bestCosine = mayBegin ? alike : 0;
    for (const index of [...near].toSorted((a, b) => a - b)) {
      const group = groups[index];
      const cosine = group ? dot(vector, group.sum) / (lengths[index] || 1) : 0;
      if (cosine > bestCosine) [best, bestCosine] = [index, cosine];
    }
    if (mayBegin && best < 0) best = groups.push({ members: [], sum: new Map() }) - 1;
    const group = groups[best];
    if (mayBegin && group) {
      const length = lengths[best] ?? 0;
      const square = length * length + 2 * dot(vector, group.sum) + dot(vector, vector);
      lengths[best] = Math.sqrt(square);
      group.members.push(question);
      add(group.sum, vector);
      note(best, vector);
    }
    groupOf.push(best);
  }
  return groupOf;

  function nearGroups(vector: Vector): Set<number> {
    const near = new Set<number>();
    for (const word of vector.keys()) {
      for (const group of byWord.get(word) ?? []) {
        if (near.size >= maxNear) return near;
        near.add(group);
      }
    }
    return near;
  }
}

function regroup(vectors: Vector[], groupOf: number[]): Group[] {
  const groups = new Map<number, Group>();
  groupOf.forEach((at, question) => {
    // A question without content words is a group of its own.
    const key = at < 0 ? -1 - question : at;
    const group: Group = groups.get(key) ?? { members: [], sum: new Map() };
    group.members.push(question);
    add(group.sum, vectors[question] ?? new Map());
    groups.set(key, group);
  });
  return [...groups.values()];
}

/**
 * Puts questions into the groups that people made. The others of a group go to the nearest one that has
 * questions of it, so that a merged group isn't too general for them.
 */
function asDecided(
  groups: Group[],
  vectors: Vector[],
  questions: readonly GroupedQuestion[],
): Group[] {
  const made = new Map<string, Group>();
  const others = groups.filter(({ members }) => {
    const near = new Map<string, Vector>();
    for (const member of members) {
      const name = questions[member]?.group;
      if (name === undefined) continue;
      const sum: Vector = near.get(name) ?? new Map();
      add(sum, vectors[member] ?? new Map());
      near.set(name, sum);
    }
    const nearest = (vector: Vector) =>
      [...near]
        .map(([name, sum]) => ({ name, cosine: dot(vector, sum) / (lengthOf(sum) || 1) }))
        .toSorted((a, b) => b.cosine - a.cosine)[0]?.name;
    for (const member of members) {
      const vector = vectors[member] ?? new Map<string, number>();
      const name = questions[member]?.group ?? nearest(vector);
      if (name === undefined) continue;
      const group: Group = made.get(name) ?? { members: [], sum: new Map() };
      group.members.push(member);
      add(group.sum, vector);
      made.set(name, group);
    }
    return near.size === 0;
  });
  for (const { members } of made.values()) members.sort((a, b) => a - b);
  return [...others, ...made.values()];
}

function describe<Question extends GroupedQuestion>(
  { members, sum }: Group,
  vectors: Vector[],
  questions: readonly Question[],
): QuestionGroup<Question> {
  const ranked = members.toSorted(
    (a, b) =>
      dot(vectors[b] ?? new Map(), sum) - dot(vectors[a] ?? new Map(), sum) ||
      (questions[a]?.text.length ?? 0) - (questions[b]?.text.length ?? 0) ||
      a - b,
  );
  const words = [...sum].toSorted(([a, x], [b, y]) => y - x || a.localeCompare(b));
  return {
    questions: members.map((member) => questions[member] as Question),
    representative: questions[ranked[0] ?? 0] as Question,
    words: words.slice(0, 8).map(([word]) => word),
    group: members.map((member) => questions[member]?.group).find((name) => name !== undefined),
  };
}

function dot(a: Vector, b: Vector): number {
  let sum = 0;
  for (const [word, weight] of a) sum += weight * (b.get(word) ?? 0);
  return sum;
}

function add(to: Vector, vector: Vector): void {
  for (const [word, weight] of vector) to.set(word, (to.get(word) ?? 0) + weight);
}

function lengthOf(vector: Vector): number {
  return Math.sqrt(dot(vector, vector));
}

function scaled(vector: Vector): Vector {
  const length = lengthOf(vector) || 1;
  return new Map([...vector].map(([word, weight]) => [word, weight / length]));
}
