/** Texts in quotes, of any script's kind, and in backticks: taken out of a prompt before its words are read. */

export interface Masked {
  /** Each quotation is `\u0001<number>\u0002`. */
  masked: string;
  /** Puts them back, without their quotes. */
  unmask(text: string): string;
}

const pairs: readonly RegExp[] = [
  // A block of its own, also after "with the text:".
  /^[ \t]*(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n[ \t]*\1[ \t]*$/gm,
  /(``?)((?:(?!\1)[^\n])+)\1/g,
  /()"((?:\\"|[^"])*)"/g,
  /()“([^”]*)”/g,
  /()„([^“”]*)[“”]/g,
  /()«\s?([^»]*?)\s?»/g,
  /()‘([^’]*(?:\w’\w[^’]*)*)’/g,
  // An apostrophe inside a word is none of these.
  /(?<![\w\u0002])()'((?:[^'\n]|\w'\w)*)'(?!\w)/g,
];

export function maskQuotes(prompt: string): Masked {
  const found: string[] = [];
  let masked = prompt.replaceAll(/[\u0001\u0002]/g, '');
  const keep = (text: string): string => `\u0001${found.push(text) - 1}\u0002`;
  for (const pair of pairs) {
    masked = masked.replaceAll(pair, (_, __, text: string) => keep(text.replaceAll('\\"', '"')));
  }
  // "with the text:" and then lines: all that follows.
  masked = masked.replace(
    /\b(with (?:the )?(?:following )?(?:text|content|body))\s*:\s*\n+([\s\S]+)$/i,
    (_, lead: string, text: string) => `${lead} ${keep(text.trim())}`,
  );
  masked = masked.replaceAll(/(\b(?:text|content|body)\s*:?)\s*\n+\s*(?=\u0001)/gi, '$1 ');
  const unmask = (text: string): string => {
    let open = text;
    while (/\u0001\d+\u0002/.test(open))
      open = open.replaceAll(
        /\u0001(\d+)\u0002/g,
        (_, index: string) => found[Number(index)] ?? '',
      );
    return open;
  };
  return { masked, unmask };
}
