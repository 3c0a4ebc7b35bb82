const begin = '<!-- docent:begin -->';
const end = '<!-- docent:end -->';

/** Marks our part of a description: what people write around it stays theirs. */
export function markBody(text: string): string {
  return `${begin}\n${unmarked(text)}\n${end}`;
}

/** The description with our part renewed; as it is where people have taken our part out. */
export function renewBody(body: string, text: string): string {
  const from = body.indexOf(begin);
  const to = body.lastIndexOf(end);
  if (from < 0 || to < from) return body.trim() === '' ? markBody(text) : body;
  return body.slice(0, from) + markBody(text) + body.slice(to + end.length);
}

/** What is quoted in it cannot pretend to be its end. */
function unmarked(text: string): string {
  return text.replaceAll(/<!-- docent:(begin|end) -->/g, '').trim();
}
