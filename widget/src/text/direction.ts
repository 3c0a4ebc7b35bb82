/** An answer that grows keeps its direction after these characters. */
const maxCharacters = 300;

/**
 * The direction of an answer, which may be in another language than the panel. `undefined` if
 * nothing tells.
 */
export function directionOfText(markdown: string): 'ltr' | 'rtl' | undefined {
  const prose = markdown
    .slice(0, 10 * maxCharacters)
    // Code and addresses are Latin in every language.
    .replace(/(```|~~~)[\s\S]*?(\1|$)|`[^`]*`?|\]\([^)]*\)?|https?:\S+/g, ' ')
    .slice(0, maxCharacters);
  const letters = prose.match(/\p{L}/gu)?.length ?? 0;
  if (!letters) return undefined;
  const fromRight = prose.match(/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/g)?.length ?? 0;
  // Names of products and commands stay Latin.
  return fromRight * 3 > letters ? 'rtl' : 'ltr';
}
