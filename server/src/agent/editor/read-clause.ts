/** The grammar: one clause becomes one instruction, or none. */
import type { Instruction, Scope } from './instructions.ts';

/** `\uE010…\uE011` is what stood in quotes. */
export const quotation = '\uE010\\d+\uE011';
const Q = quotation;
/** A quotation, or one word that looks like a path. */
const P = `(?:${Q}|[\\w./-]*[./\\w-][\\w./-]*)`;
const place = `(?:${Q}|[\\w./*{},-]*[\\w./*}-])`;

export type Unmask = (text: string) => string;

export function readClause(written: string, unmask: Unmask): Instruction | undefined {
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
    `(?:in|on|from|within|below|under|inside)\\s+(?:the\\s+)?(?:pages?|files?|folder|directory)?\\s*(${place})(?:\\s+(?:page|file|folder|directory))?`,
  );
  // Something else is asked for that is not understood.
  if (/[^\s,()]/.test(left)) return undefined;
  return { scope: scope === undefined ? undefined : unmask(scope), isWord, isAnyCase };
}

/** One text for another, with the words behind them that say where and how. */
function replacement(
  oldText: string | undefined,
  newText: string | undefined,
  rest: string | undefined,
  unmask: Unmask,
): Instruction | undefined {
  const options = readOptions(rest ?? '', unmask);
  return (
    options && {
      kind: 'replace',
      oldText: unmask(oldText ?? ''),
      newText: unmask(newText ?? ''),
      ...options,
    }
  );
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
      !page.startsWith('\uE010');
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

  // add a page called Webhooks
  (clause, unmask) => {
    const match =
      /^(?:add|create|make)\s+(?:an?\s+)?(?:new\s+)?page\s+(?:called|titled|named|entitled)\s+([\p{L}\p{N}][\p{L}\p{N} '-]*?)(?:\s+(?:in|to|under)\s+(?:the\s+)?(?:folder\s+)?([\w./-]+)(?:\s+folder)?)?$/iu.exec(
        clause,
      );
    const title = match?.[1];
    if (title === undefined || /\s(?:with|after|and|about)\s/i.test(title)) return undefined;
    return {
      kind: 'add-page',
      title: unmask(title),
      folder: match?.[2],
      text: undefined,
      description: undefined,
      after: undefined,
    };
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
    return match ? replacement(match[2], match[1], match[3], unmask) : undefined;
  },

  // rename the product from "a" to "b"
  (clause, unmask) => {
    const match = new RegExp(
      `^(?:change|rename|update)\\s+(?:the\\s+)?(?:text|term|word|product|name|product name|spelling)\\s+from\\s+(${Q})\\s+to\\s+(${Q})(.*)$`,
      'is',
    ).exec(clause);
    return match ? replacement(match[1], match[2], match[3], unmask) : undefined;
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
