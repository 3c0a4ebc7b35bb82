/**
 * The instructions that the built-in editor understands. A small grammar of English, tolerant of quotes and
 * politeness; what it does not understand for certain it does not guess.
 */
import { maskQuotes } from './quotes.ts';

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
    );
}

/** `\u0001…\u0002` is what stood in quotes. */
const Q = '\u0001\\d+\u0002';
/** A quotation, or one word that looks like a path. */
const P = `(?:${Q}|[\\w./-]*[./\\w-][\\w./-]*)`;
const place = `(?:${Q}|[\\w./*{},-]*[\\w./*}-])`;

type Unmask = (text: string) => string;

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

function readClause(written: string, unmask: Unmask): Instruction | undefined {
  const leading = new RegExp(
    `^in\\s+(?:the\\s+)?(?:page|file|folder|directory)?\\s*(${place}),?\\s+(.*)$`,
    'is',
  ).exec(written);
  const inner = leading?.[2] === undefined ? undefined : readClause(leading[2], unmask);
  const scope = leading?.[1];
  if (inner && scope !== undefined) {
    if ('scope' in inner && inner.scope === undefined && inner.kind !== 'again')
      return { ...inner, scope: unmask(scope) };
    if (inner.kind === 'add-page' && inner.folder === undefined)
      return { ...inner, folder: unmask(scope) };
    return undefined;
  }
  for (const read of readers) {
    const found = read(written, unmask);
    if (found) return found;
  }
  return undefined;
}

type Reader = (clause: string, unmask: Unmask) => Instruction | undefined;

/** Words after the texts that say where and how. */
function readOptions(
  rest: string,
  unmask: Unmask,
): { scope: Scope; isWord: boolean; isAnyCase: boolean } | undefined {
  let left = ` ${rest} `;
  const take = (pattern: string): string | undefined => {
    const match = new RegExp(`[\\s,(]+${pattern}(?=[\\s,.)])`, 'i').exec(left);
    if (!match) return undefined;
    left = left.replace(match[0], ' ');
    return match[1] ?? match[0];
  };
  const isWord = take('(?:as |only )?(?:whole|entire|full) words?(?: only)?') !== undefined;
  const isAnyCase =
    take(
      '(?:ignoring (?:the )?case|case[- ]insensitive(?:ly)?|whatever (?:the|its) case|in any case|regardless of case)',
    ) !== undefined;
  take('(?:case[- ]sensitive(?:ly)?|with exact case|matching case)');
  take(
    '(?:everywhere|throughout(?: the)?(?: docs| documentation)?|across (?:all )?(?:the )?(?:docs|documentation|pages|files)|(?:in|on) (?:all|every|each)(?: of)?(?: the)? ?(?:pages?|files?|docs|documentation)|in the (?:docs|documentation)|in the whole (?:docs|documentation)|wherever it (?:stands|occurs|appears))',
  );
  const scope = take(
    `(?:in|on|within|below|under|inside)\\s+(?:the\\s+)?(?:pages?|files?|folder|directory)?\\s*(${place})(?:\\s+(?:page|file|folder|directory))?`,
  );
  // Something else is asked for that is not understood.
  if (/[^\s,()]/.test(left)) return undefined;
  return { scope: scope === undefined ? undefined : unmask(scope), isWord, isAnyCase };
}

const readers: Reader[] = [
  // also in docs/b.md; do the same in guides/
  (clause, unmask) => {
    const match = new RegExp(
      `^(?:do\\s+)?(?:also|the same|that|it)?\\s*(?:in|on|for)\\s+(?:the\\s+)?(?:pages?|files?|folder)?\\s*(${place})(?:\\s+(?:too|as well|also))?$`,
      'i',
    ).exec(clause);
    return match ? { kind: 'again', scope: unmask(match[1] ?? '') } : undefined;
  },

  // change the title of "install" to "Set up"
  (clause, unmask) => {
    const match =
      new RegExp(
        `^(?:change|set|update|make)\\s+(?:the\\s+)?([a-z][\\w.-]*)\\s+(?:of|in|on|for)\\s+(?:the\\s+)?(?:page\\s+|file\\s+)?(${P})\\s+(?:page\\s+)?(?:to|be|as|into)\\s+(${Q}|\\S+)$`,
        'i',
      ).exec(clause) ?? undefined;
    const [, field = '', page = '', value = ''] = match ?? [];
    if (match && field !== 'text' && field !== 'word')
      return {
        kind: 'set-field',
        field: field === 'name' ? 'title' : field,
        page: unmask(page),
        value: unmask(value),
      };
    const retitle = new RegExp(
      `^retitle\\s+(?:the\\s+)?(?:page\\s+)?(${P})\\s+(?:to|as)?\\s*(${Q})$`,
      'i',
    ).exec(clause);
    return retitle
      ? {
          kind: 'set-field',
          field: 'title',
          page: unmask(retitle[1] ?? ''),
          value: unmask(retitle[2] ?? ''),
        }
      : undefined;
  },

  // rename the page install to setup; move guides/a.md to reference/a.md
  (clause, unmask) => {
    const match = new RegExp(
      `^(rename|move)\\s+(?:the\\s+)?(page|file|document)?\\s*(${P})\\s*(?:page|file)?\\s+(?:to|as|into|under)\\s+(?:the\\s+folder\\s+)?(${Q}|[\\w./-]+)(?:\\s+(?:folder|directory))?(?:,?\\s+(?:including|with)\\s+(?:its|all|the)\\s+links)?$`,
      'i',
    ).exec(clause);
    if (!match) return undefined;
    const [, verb = '', noun, page = '', to = ''] = match;
    const looksLikePage =
      noun !== undefined ||
      verb.toLowerCase() === 'move' ||
      /[./]/.test(unmask(page)) ||
      !page.startsWith('\u0001');
    return looksLikePage ? { kind: 'move-page', page: unmask(page), to: unmask(to) } : undefined;
  },

  // fix all broken links in guides/
  (clause, unmask) => {
    const match =
      /^(?:fix|repair|correct|mend)\s+(?:up\s+)?(?:all\s+|every\s+|any\s+)?(?:of\s+)?(?:the\s+)?(?:broken\s+|dead\s+|wrong\s+)?(?:internal\s+)?(?:links?|anchors?|references?)(?:\s+and\s+(?:anchors|links|images))?(.*)$/i.exec(
        clause,
      );
    const options = match && readOptions(match[1] ?? '', unmask);
    return options ? { kind: 'fix-links', scope: options.scope } : undefined;
  },

  // add a page "Webhooks" in guides with the text "…"
  (clause, unmask) => {
    const match = new RegExp(
      `^(?:add|create|write|make)\\s+(?:an?\\s+|the\\s+)?(?:new\\s+|empty\\s+)*(?:page|document)\\s+(?:(?:called|titled|named|about|for|with the title|entitled)\\s+)?(${Q})(.*)$`,
      'is',
    ).exec(clause);
    if (!match) return undefined;
    let rest = ` ${match[2] ?? ''}`;
    const take = (pattern: string): string | undefined => {
      const found = new RegExp(`[\\s,]+(?:and\\s+)?${pattern}(?=[\\s,.]|$)`, 'i').exec(rest);
      if (!found) return undefined;
      rest = rest.replace(found[0], '');
      return unmask(found[1] ?? '');
    };
    const description = take(`(?:with\\s+)?(?:the\\s+)?description\\s+(${Q})`);
    const says = '(?:with|containing|saying|that says|which says)';
    const text =
      take(`(?:${says}\\s+)?(?:the\\s+)?(?:following\\s+)?(?:text|content|body):?\\s*(${Q})`) ??
      take(`${says}:?\\s+(${Q})`);
    const after = take(`(?:after|behind|below)\\s+(?:the\\s+)?(?:page\\s+)?(${P})`);
    const folder = take(
      `(?:in|into|to|under|inside)\\s+(?:the\\s+)?(?:folder\\s+|directory\\s+|section\\s+)?(${P})(?:\\s+(?:folder|directory|section))?`,
    );
    if (/[^\s,.:]/.test(rest)) return undefined;
    return { kind: 'add-page', title: unmask(match[1] ?? ''), folder, text, description, after };
  },

  // add a section "Limits" to guides/api with the text "…"
  (clause, unmask) => {
    const match = new RegExp(
      `^(?:add|create|write)\\s+(?:an?\\s+|the\\s+)?(?:new\\s+)?(?:section|heading)\\s+(?:(?:called|titled|named|about|with the title)\\s+)?(${Q})\\s+(?:to|in|on|at the end of)\\s+(?:the\\s+)?(?:page\\s+|file\\s+)?(${P})(?:\\s+page)?(.*)$`,
      'is',
    ).exec(clause);
    if (!match) return undefined;
    let rest = match[3] ?? '';
    const take = (pattern: RegExp): string | undefined => {
      const found = pattern.exec(rest);
      if (!found) return undefined;
      rest = rest.replace(found[0], '');
      return unmask(found[1] ?? '');
    };
    const text = take(
      new RegExp(
        `\\s+(?:with|containing|saying|that says)\\s+(?:the\\s+)?(?:following\\s+)?(?:text|content|body)?:?\\s*(${Q})`,
        'i',
      ),
    );
    const after = take(
      new RegExp(
        `\\s+(?:after|behind|below)\\s+(?:the\\s+)?(?:section\\s+|heading\\s+)?(${Q})`,
        'i',
      ),
    );
    if (/[^\s,.:]/.test(rest)) return undefined;
    return {
      kind: 'add-section',
      title: unmask(match[1] ?? ''),
      page: unmask(match[2] ?? ''),
      text,
      after,
    };
  },

  // delete the page guides/old
  (clause, unmask) => {
    const match = new RegExp(
      `^(?:delete|remove|drop)\\s+(?:the\\s+)?(page|file|document)?\\s*(${P})(?:\\s+page)?(?:\\s*,?\\s+and\\s+(?:lead|point|redirect)\\s+(?:its|the|all)\\s+links\\s+to\\s+(${P}))?$`,
      'i',
    ).exec(clause);
    if (!match) return undefined;
    const [, noun, page = '', instead] = match;
    if (noun === undefined && !/[./]/.test(unmask(page))) return undefined;
    return {
      kind: 'delete-page',
      page: unmask(page),
      instead: instead === undefined ? undefined : unmask(instead),
    };
  },

  // remove the text "beta" everywhere
  (clause, unmask) => {
    const match = new RegExp(
      `^(?:remove|delete|drop)\\s+(?:the\\s+)?(?:text|word|words|sentence|phrase|line)?\\s*(${Q})(.*)$`,
      'is',
    ).exec(clause);
    const options = match && readOptions(match[2] ?? '', unmask);
    return match && options
      ? { kind: 'replace', oldText: unmask(match[1] ?? ''), newText: '', ...options }
      : undefined;
  },

  // use "sign in" instead of "log in"
  (clause, unmask) => {
    const match = new RegExp(
      `^(?:use|write|say)\\s+(${Q})\\s+(?:instead|in place)\\s+of\\s+(${Q})(.*)$`,
      'is',
    ).exec(clause);
    const options = match && readOptions(match[3] ?? '', unmask);
    return match && options
      ? {
          kind: 'replace',
          oldText: unmask(match[2] ?? ''),
          newText: unmask(match[1] ?? ''),
          ...options,
        }
      : undefined;
  },

  // replace "a" with "b"
  (clause, unmask) => {
    const text = `${Q}|\\S+`;
    const match = new RegExp(
      `^(?:replace|change|substitute|rename|update)\\s+(?:all\\s+(?:occurrences|instances)\\s+of\\s+|every\\s+|each\\s+|all\\s+)?(?:the\\s+)?(?:text|term|word|words|phrase|product|name|string|value)?\\s*(${text})((?:\\s+\\S+)*?)\\s+(?:with|by|to|into|for)\\s+(${text})(.*)$`,
      'is',
    ).exec(clause);
    if (!match) return undefined;
    const [, oldText = '', between = '', newText = '', after = ''] = match;
    const options = readOptions(`${between} ${after}`, unmask);
    if (!options || /^the$|^its$|^a$/i.test(oldText)) return undefined;
    return { kind: 'replace', oldText: unmask(oldText), newText: unmask(newText), ...options };
  },
];

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
