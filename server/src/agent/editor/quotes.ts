/** Texts in quotes, of any script's kind, and in backticks: taken out of a prompt before its words are read. */

export interface Masked {
  /** Each quotation is `\uE010<number>\uE011`. */
  masked: string;
  /** Puts them back, without their quotes. */
  unmask: (text: string) => string;
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
  /(?<![\w\uE011])()'((?:[^'\n]|\w'\w)*)'(?!\w)/g,
];

export function maskQuotes(prompt: string): Masked {
  const found: string[] = [];
  let masked = prompt.replaceAll(/[\uE010\uE011]/g, '');
  const keep = (text: string): string => `\uE010${found.push(text) - 1}\uE011`;
  for (const pair of pairs) {
    masked = masked.replaceAll(pair, (_, __, text: string) => keep(text.replaceAll('\\"', '"')));
  }
  // "with the text:" and then lines: all that follows.
  masked = masked.replace(
    /\b(with (?:the )?(?:following )?(?:text|content|body))\s*:\s*\n+([\s\S]+)$/i,
    (_, lead: string, text: string) => `${lead} ${keep(text.trim())}`,
  );
  masked = masked.replaceAll(/(\b(?:text|content|body)\s*:?)\s*\n+\s*(?=\uE010)/gi, '$1 ');
  const unmask = (text: string): string => {
    let open = text;
    while (/\uE010\d+\uE011/.test(open))
      open = open.replaceAll(
        /\uE010(\d+)\uE011/g,
        (_, index: string) => found[Number(index)] ?? '',
      );
    return open;
  };
  return { masked, unmask };
}
