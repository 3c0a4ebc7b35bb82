/** Writes frontmatter as text, so that everything else stays as it was written. */
import { stringify } from 'yaml';
import { readFrontmatter, withoutFrontmatter } from '../../docs/markdown/frontmatter.ts';

/** One line, `key: value`, in quotes if YAML needs them. */
export function fieldLine(key: string, value: unknown): string {
  const written = stringify(value, { lineWidth: 0, collectionStyle: 'flow' }).trimEnd();
  return `${key}: ${written.includes('\n') ? JSON.stringify(value) : written}`;
}

/** Renames a page: in its frontmatter, and in its first heading if that was the title too. */
export function withTitle(text: string, title: string): string {
  const old = readFrontmatter(text).data?.['title'];
  const heading = /^#[ \t]+(\S.*)$/m.exec(withoutFrontmatter(text));
  const isTitle = heading !== null && (old === undefined || heading[1]?.trimEnd() === old);
  const renamed = isTitle
    ? `${text.slice(0, heading.index)}# ${title}${text.slice(heading.index + heading[0].length)}`
    : text;
  // A value may go on over indented lines.
  const line = /^title[ \t]*:[^\n]*(?:\n[ \t]+[^\n]*)*/m;
  return old === undefined ? renamed : renamed.replace(line, () => fieldLine('title', title));
}
