const longest = 72;

/** The first line of a text as a title: 72 characters at most, cut between words. */
export function toTitle(text: string): string {
  const [line = ''] = text
    .split('\n')
    .map((each) => each.replace(/\s+/g, ' ').trim())
    .filter((each) => each !== '');
  if (line.length <= longest) return line;
  // Half a surrogate pair is no character.
  const cut = line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '');
  const space = cut.lastIndexOf(' ');
  const kept = space > longest / 2 ? cut.slice(0, space) : cut;
  return `${kept.replace(/[\s.,;:–-]+$/, '')}…`;
}
