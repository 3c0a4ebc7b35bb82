/** Reads and changes the frontmatter of a page as text, so that everything else stays as it was written. */
import { parse, stringify } from 'yaml';

export interface Front {
  data: Record<string, unknown>;
  /** What follows it. */
  body: string;
  has: boolean;
}

const block = /^---[ \t]*\n([\s\S]*?)\n?---[ \t]*(?:\n|$)/;

export function readFront(text: string): Front {
  const match = block.exec(text);
  if (!match) return { data: {}, body: text, has: false };
  try {
    const data: unknown = parse(match[1] ?? '', { logLevel: 'silent' });
    const isMap = typeof data === 'object' && data !== null && !Array.isArray(data);
    return {
      data: isMap ? (data as Record<string, unknown>) : {},
      body: text.slice(match[0].length),
      has: true,
    };
  } catch {
    return { data: {}, body: text.slice(match[0].length), has: true };
  }
}

/** One line, `key: value`, in quotes where YAML needs them. */
export function fieldLine(key: string, value: unknown): string {
  const written = stringify(value, {
    lineWidth: 0,
    defaultStringType: 'PLAIN',
    collectionStyle: 'flow',
  }).trimEnd();
  // What would go over several lines is one text in quotes.
  return `${key}: ${written.includes('\n') ? JSON.stringify(value) : written}`;
}

/** Puts a value in; a key that is not there comes last. */
export function setField(text: string, key: string, value: unknown): string {
  const line = fieldLine(key, value);
  const match = block.exec(text);
  if (!match) return `---\n${line}\n---\n\n${text}`;
  const name = key.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const head = match[0];
  // With what belongs to it on further lines.
  const field = new RegExp(
    `^${name}[ \\t]*:[^\\n]*(?:\\n(?:[ \\t]+[^\\n]*|[ \\t]*-[ \\t][^\\n]*))*`,
    'm',
  );
  const changed = field.test(head)
    ? head.replace(field, () => line)
    : head.replace(/\n?---[ \t]*(\n|$)$/, (_, end: string) => `\n${line}\n---${end}`);
  return changed + text.slice(head.length);
}

/** What somebody wrote, as the kind of value that stood there. */
export function valueLike(written: string, before: unknown): unknown {
  if (typeof before === 'string') return written;
  if (/^-?\d+(\.\d+)?$/.test(written) && (typeof before === 'number' || before === undefined))
    return Number(written);
  if (/^(true|false)$/.test(written)) return written === 'true';
  return written;
}
