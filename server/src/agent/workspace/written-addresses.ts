/** A text as those read it who make an address of it: each takes other signs for nothing, or for other signs. */
import { decodeHTML } from 'entities';

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
