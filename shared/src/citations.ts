/** The numbers that an answer cites, such as `[1]` and `[2, 3]`. Ignores link texts and code. */
export function citedNumbers(answer: string): Set<string> {
  const prose = answer.replace(/```[\s\S]*?(```|$)/g, '').replace(/`[^`\n]*`/g, '');
  const cited = new Set<string>();
  for (const [, list] of prose.matchAll(/\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\](?![(:])/g)) {
    for (const number of (list ?? '').split(',')) cited.add(number.trim());
  }
  return cited;
}
