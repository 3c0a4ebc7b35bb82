/** Which hosts a text names, in all the ways in which a browser would still go there. */
import { trimEndOf } from '../../platform/text.ts';
import { decodeHTML } from 'entities';

const inAddress = '[^\\s"\'`<>()\\[\\]{}|^]';
/** `https://x`, and what browsers take for it: `https:x`, `https:\\x`. */
const absolute = new RegExp(
  `(?<![a-z0-9+.-])(?:https?|wss?|ftps?):[\\\\/]*(${inAddress}{1,300})`,
  'gi',
);
/** Schemes of other programs, which lead to a host all the same: `git+ssh://x`, `intent://x`. */
const otherScheme = new RegExp(
  `(?<![a-z0-9+.-])(?!file:)[a-z][a-z0-9+.-]{1,30}://(${inAddress}{1,300})`,
  'gi',
);
/** Before the `@` a browser takes signs that seem to end an address: `https://known.example'@x`. */
const behindUser =
  /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,30}:[\\/]*[^\s<>/\\?#]{0,300}@([^\s"'`<>()[\]{}|^]{1,300})/gi;
/** An address of the sixth version stands in brackets. */
const numbered = /:[\\/]{2,}(?:[^\s<>/\\?#@]{0,200}@)?(\[[0-9a-f:.]{2,45}\])/gi;
/** `//x` where an address may stand; browsers leave out blanks before it. */
const relative = new RegExp(
  `(?=[\\\\/]{2})(?<=[("'<>]\\s{0,20}|\\{\`|=[ ]?|\\]:\\s{0,50}|url\\(\\s{0,20}|::[ \\t]{1,5}|^[ \\t]*(?:-[ \\t]+)?[\\w.-]{1,60}:[ \\t]+)[\\\\/]{2,}([a-z0-9]${inAddress}{1,300})`,
  'gim',
);
const written = new RegExp(`(?<![a-z0-9.@/-])www\\.${inAddress}{1,300}`, 'gi');
/** Bare ones become links too, and `git@x:y` is where a command fetches from. */
const mail = /[\w.+%-]{1,64}@((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,63})(?![\w@-])/gi;

/** Nobody's: names that stand for the reader's own machine, and the ones kept for examples. */
const nobodys =
  /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|(?:.*\.)?example\.(?:com|net|org))$/;

export function hostsIn(text: string): Set<string> {
  const found = new Set<string>();
  if (!/[:/\\&.@]/.test(text)) return found;
  for (const reading of asWritten(text)) {
    for (const pattern of [absolute, otherScheme, behindUser, numbered, relative, mail]) {
      for (const [, rest] of reading.matchAll(pattern)) add(rest);
    }
    for (const [rest] of reading.matchAll(written)) add(rest);
  }
  return found;

  function add(rest: string | undefined): void {
    const host = rest === undefined ? undefined : hostOf(rest);
    if (host !== undefined && !nobodys.test(host)) found.add(host);
  }
}

/** Without `www.`: it is the same owner. */
function hostOf(rest: string): string | undefined {
  const clean = trimEndOf(rest.replace(/^[\\/]+/, ''), '.,;:!?*_~\\');
  const url = URL.canParse(`http://${clean}`) ? new URL(`http://${clean}`) : undefined;
  const named = url?.hostname ?? /^[^/?#:@]+/.exec(clean)?.[0] ?? '';
  const host = trimEndOf(named.toLowerCase(), '.').replace(/^www\./, '');
  return host.includes('.') || host.startsWith('[') ? host : undefined;
}

/** Whether a list such as `acme.com`, `*.acme.com` has it. */
export function isListedHost(host: string, list: readonly string[]): boolean {
  return list.some((one) =>
    one.startsWith('*.')
      ? host.endsWith(one.slice(1)) || host === one.slice(2)
      : host === one.replace(/^www\./, ''),
  );
}

/** People do not see them, and some readers leave them out. */
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
/** In an address, browsers leave out tabs and line breaks, however they are written. */
const writtenBreaks = /&(?:#0*(?:9|10|13)(?!\d);?|#x0*(?:9|a|d)(?![\da-f]);?|Tab;|NewLine;)/gi;
const quoted = /(?<=[=(:,[\s])(?:"[^"<>]{1,2000}"|'[^'<>]{1,2000}')/g;
const sourceSet = /srcset\s*=\s*["'{]{0,3}([^"'<>]{1,4000})/gi;

/** The plain reading first, and each other one where it differs. */
export function asWritten(text: string): Set<string> {
  const entities = text.includes('&') ? decodeHTML(text.replace(writtenBreaks, '')) : text;
  const plain = entities.replace(invisible, '');
  const readings = new Set([plain]);
  const pieces = [
    ...[...plain.matchAll(quoted)].flatMap(([piece]) =>
      /[\t\r\n]/.test(piece) ? piece.replace(/[\t\r\n]/g, '') : [],
    ),
    ...[...plain.matchAll(sourceSet)].flatMap(([, set = '']) =>
      set.split(/[\s,]+/).map((one) => `"${one}"`),
    ),
  ];
  if (pieces.length > 0) readings.add(pieces.join(' '));
  if (!plain.includes('\\')) return readings;
  // Markdown: a sign behind a backslash is the sign.
  readings.add(plain.replace(/\\([!-/:-@[-`{-~])/g, '$1'));
  // JavaScript, JSON, YAML.
  readings.add(
    plain.replace(
      /\\(?:u\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2})|(\/))/gi,
      (all, braces?: string, four?: string, two?: string) =>
        sign(braces ?? four ?? two ?? '2f', all),
    ),
  );
  // CSS.
  readings.add(plain.replace(/\\([\da-f]{1,6})\s?/gi, (all, hex: string) => sign(hex, all)));
  return readings;
}

function sign(hex: string, otherwise: string): string {
  const code = parseInt(hex, 16);
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : otherwise;
}
