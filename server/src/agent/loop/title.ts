const longest = 72;

/** The first line of a text as a title: 72 characters at most, cut between words. */
export function toTitle(text: string): string {
  const [line = ''] = text
    .split('\n')
    .map((each) => each.replace(/\s+/g, ' ').trim())
    .filter((each) => each !== '');
  if (line.length <= longest) return line;
  const cut = line.slice(0, longest);
  const space = cut.lastIndexOf(' ');
  // Half a surrogate pair is no character.
  const kept = space > longest / 2 ? cut.slice(0, space) : cut.slice(0, longest - 1).toWellFormed();
  return `${kept.replace(/[\s.,;:–-]+$/, '').slice(0, longest - 1)}…`;
}
