/** Which way an answer runs: it may be in another language than the panel. */

/** Enough to tell; so an answer that grows turns at its beginning, if ever. */
const read = 300;

/** `undefined` where nothing tells: then it runs as the panel does. */
export function directionOfText(markdown: string): 'ltr' | 'rtl' | undefined {
  const prose = markdown
    .slice(0, 10 * read)
    // Code and addresses are Latin everywhere.
    .replace(/(```|~~~)[\s\S]*?(\1|$)|`[^`]*`?|\]\([^)]*\)?|https?:\S+/g, ' ')
    .slice(0, read);
  const letters = prose.match(/\p{L}/gu)?.length ?? 0;
  if (!letters) return undefined;
  const fromRight = prose.match(/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/g)?.length ?? 0;
  // Names of products and commands stay Latin in a sentence that is not.
  return fromRight * 3 > letters ? 'rtl' : 'ltr';
}
