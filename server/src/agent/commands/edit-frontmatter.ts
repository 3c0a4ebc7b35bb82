/** Writes frontmatter as text, so that everything else stays as it was written. */
import { stringify } from 'yaml';
import { readFrontmatterOf } from '../checks/page-facts.ts';

const block = /^---[ \t]*\n([\s\S]*?)\n?---[ \t]*(?:\n|$)/;

export function bodyOf(text: string): string {
  return text.replace(block, '');
}

/** One line, `key: value`, in quotes if YAML needs them. */
export function fieldLine(key: string, value: unknown): string {
  const written = stringify(value, { lineWidth: 0, collectionStyle: 'flow' }).trimEnd();
  return `${key}: ${written.includes('\n') ? JSON.stringify(value) : written}`;
}

/** Renames a page: in its frontmatter, and in its first heading if that was the title too. */
export function withTitle(text: string, title: string): string {
  const old = readFrontmatterOf(text).data?.['title'];
  const front = block.exec(text)?.[0] ?? '';
  const body = text.slice(front.length);
  const heading = /^#[ \t]+(.+?)[ \t]*$/m.exec(body);
  const isTitle = heading !== null && (old === undefined || heading[1] === old);
  const renamed = isTitle ? body.replace(heading[0], () => `# ${title}`) : body;
  // A value may go on over indented lines.
  const line = /^title[ \t]*:[^\n]*(?:\n[ \t]+[^\n]*)*/m;
  return front.replace(line, () => fieldLine('title', title)) + renamed;
}
