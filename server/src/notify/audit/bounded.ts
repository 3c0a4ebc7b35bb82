import { sha256 } from '../../platform/hash.ts';
import { redact } from '../../platform/redaction/redact.ts';

/** Longer texts are shortened to their beginning and a digest, because an entry can't be deleted. */
const maxCharacters = 500;
const keptOfLong = 200;
const maxMembers = 50;
const maxDepth = 4;
/** Of the whole entry, as JSON. */
const maxLength = 8_000;

/** Removes secrets, personal data in known formats, and large values. */
export function bounded(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const small = bound(data, 0) as Record<string, unknown>;
  const text = JSON.stringify(small);
  return text.length > maxLength ? { omitted: fingerprintOf(text) } : small;
}

/** Stands for a text that isn't kept. Somebody who has the text can show that it's this one. */
export function fingerprintOf(text: string): { characters: number; sha256: string } {
  return { characters: text.length, sha256: sha256(text) };
}

function bound(value: unknown, depth: number): unknown {
  if (typeof value === 'string') {
    const clean = redact(value).replaceAll('\0', '\uFFFD');
    if (clean.length <= maxCharacters) return clean;
    return { beginning: clean.slice(0, keptOfLong), ...fingerprintOf(value) };
  }
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (depth === maxDepth) return fingerprintOf(JSON.stringify(value));
  if (Array.isArray(value)) {
    const kept = value.slice(0, maxMembers).map((each) => bound(each, depth + 1));
    return value.length > maxMembers ? [...kept, `… ${value.length - maxMembers} more`] : kept;
  }
  const members = Object.entries(value).slice(0, maxMembers);
  return Object.fromEntries(members.map(([name, member]) => [name, bound(member, depth + 1)]));
}
