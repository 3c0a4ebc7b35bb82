/**
 * The instructions that the built-in editor understands. A small grammar of English, tolerant of quotes and
 * politeness; what it does not understand for certain it does not guess.
 */
import { maskQuotes } from './quotes.ts';
import { quotation as Q, readClause, type Unmask } from './read-clause.ts';

/** Where in the documentation: a path, a pattern, or a folder; nothing for all of it. */
export type Scope = string | undefined;

export type Instruction =
  | {
      kind: 'replace';
      oldText: string;
      newText: string;
      scope: Scope;
      isWord: boolean;
      isAnyCase: boolean;
    }
  | { kind: 'move-page'; page: string; to: string }
  | { kind: 'fix-links'; scope: Scope }
  | {
      kind: 'add-page';
      title: string;
      folder: string | undefined;
      text: string | undefined;
      description: string | undefined;
      after: string | undefined;
    }
  | { kind: 'delete-page'; page: string; instead: string | undefined }
  | {
      kind: 'add-section';
      title: string;
      page: string;
      text: string | undefined;
      after: string | undefined;
    }
  | { kind: 'set-field'; field: string; page: string; value: string }
  /** The one before, in another place. */
  | { kind: 'again'; scope: string };

export interface Understood {
  instructions: Instruction[];
  /** What could not be made sense of, as it was written. */
  unknown: string[];
}

/** Reads a prompt, one instruction after the other. */
export function readInstructions(prompt: string): Understood {
  const { masked, unmask } = maskQuotes(prompt);
  const instructions: Instruction[] = [];
  const unknown: string[] = [];
  for (const clause of clausesOf(masked)) {
    const last = instructions.at(-1);
    const addition = last && readAddition(clause, last, unmask);
    if (addition === true) continue;
    const read = readClause(clause, unmask);
    if (read) instructions.push(read);
    else unknown.push(unmask(clause).trim());
  }
  return { instructions, unknown };
}

const verbs =
  'replace|change|substitute|rename|move|fix|repair|correct|mend|add|create|write|make|delete|remove|drop|set|update|retitle|use|call|do';

/** One line, one sentence, or what stands between "then" and "and" before a verb. */
function clausesOf(masked: string): string[] {
  return masked
    .replaceAll(/\s*(?:→|⇒|->|=>)\s*/g, ' to ')
    .replaceAll(/^[ \t]*(?:[-*•]|\d+[.)])[ \t]+/gm, '')
    .split(/\r?\n|;|(?<=[^\s.])[.!](?=\s|$)|,?\s+(?:and\s+)?then\s+/i)
    .flatMap((part) =>
      part.split(
        new RegExp(
          `,?\\s+and\\s+(?=(?:${verbs})\\b)|(?<!^\\s*in\\s[^,]*),\\s+(?=(?:${verbs})\\b)`,
          'i',
        ),
      ),
    )
    .map((clause) =>
      clause
        .trim()
        .replace(
          /^(?:please|kindly|now|also|and|first|finally|next|could you|can you|would you|i want you to|i would like you to|you should|let us|let's)[,\s]+(?:please\s+)?/i,
          '',
        )
        .replace(/[\s,]*(?:,\s*)?(?:please|thanks|thank you)?[\s.!?:]*$/i, '')
        .trim(),
    )
    .filter(
      (clause) =>
        clause !== '' && !/^(?:please|thanks|thank you|hello|hi|hey)(?: there)?$/i.test(clause),
    )
    .flatMap(inEachPlace);
}

/** "… in a.md and b.md" is the same twice. */
function inEachPlace(clause: string): string[] {
  const place = `(?:${Q}|[\\w./*-]*[./][\\w./*-]*)`;
  const [, head, first, second] =
    new RegExp(
      `^((?:replace|change|use|remove|fix|repair)\\b.*\\s(?:in|on|from)\\s+(?:the\\s+)?(?:(?:pages?|files?|folders?)\\s+)?)(${place})\\s+and\\s+(?:in\\s+)?(${place})$`,
      'is',
    ).exec(clause) ?? [];
  if (head === undefined || first === undefined || second === undefined) return [clause];
  return [head + first, head + second];
}

/** "and fix its links", "with the text …" as clauses of their own belong to what stands before. */
function readAddition(clause: string, last: Instruction, unmask: Unmask): boolean {
  const isFix =
    /^(?:fix|update|correct|adjust|repair|change)\s+(?:(?:its|the|all|all the|their|any)\s+)?(?:links?|references?)(?:\s+(?:to|pointing to|that lead to)\s+(?:it|them|the page))?$/i.test(
      clause,
    );
  if (
    isFix &&
    (last.kind === 'move-page' || last.kind === 'delete-page' || last.kind === 'replace')
  )
    return true;
  if (
    /^(?:update|change|fix)\s+(?:the\s+)?(?:navigation|sidebar|nav|redirects?)$|^add\s+(?:it\s+to\s+the\s+(?:navigation|sidebar|nav)|a\s+redirect)$/i.test(
      clause,
    )
  )
    return last.kind === 'move-page' || last.kind === 'add-page' || last.kind === 'delete-page';
  const text = new RegExp(
    `^(?:write|add|with|say|saying)\\s+(?:the\\s+)?(?:text\\s+|content\\s+)?(${Q})(?:\\s+(?:in|into|on)\\s+it)?$`,
    'i',
  ).exec(clause);
  if (
    text &&
    (last.kind === 'add-page' || last.kind === 'add-section') &&
    last.text === undefined
  ) {
    last.text = unmask(text[1] ?? '');
    return true;
  }
  return false;
}

/** What the editor says it can do, in the words that it understands. */
export const knownInstructions = [
  'Replace "old text" with "new text" everywhere (or: in "guides/**", as whole words, ignoring case)',
  'Rename the page guides/old.md to guides/new.md (its links, the navigation and redirects follow)',
  'Fix all broken links (or: in "guides/**")',
  'Add a page "Title" in the folder guides with the text "…"',
  'Add a section "Title" to the page guides/page.md with the text "…"',
  'Change the title of the page guides/page.md to "New title" (or another key of its frontmatter)',
  'Delete the page guides/old.md',
] as const;
