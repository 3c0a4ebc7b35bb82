import { createHash } from 'node:crypto';
import { redact } from '../redaction/redact.ts';

/** Of longer texts the beginning is kept, and a digest: an entry can never be deleted, nor what stands in it. */
const mostCharacters = 500;
const keptOfLong = 200;
const mostMembers = 50;
const deepest = 4;
/** Of the whole, as JSON. */
const mostInAll = 8_000;

/** What an entry may keep: no secrets, no personal data of known shapes, nothing large. */
export function bounded(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const small = bound(data, 0) as Record<string, unknown>;
  const text = JSON.stringify(small);
  return text.length > mostInAll ? { omitted: digestOf(text) } : small;
}

/** Stands for a text that is not kept: whoever has it can show that it was this one. */
export function digestOf(text: string): { characters: number; sha256: string } {
  return { characters: text.length, sha256: createHash('sha256').update(text).digest('hex') };
}

function bound(value: unknown, depth: number): unknown {
  if (typeof value === 'string') {
    const clean = redact(value).replaceAll('\0', '\uFFFD');
    if (clean.length <= mostCharacters) return clean;
    return { beginning: clean.slice(0, keptOfLong), ...digestOf(value) };
  }
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (depth === deepest) return digestOf(JSON.stringify(value));
  if (Array.isArray(value)) {
    const kept = value.slice(0, mostMembers).map((each) => bound(each, depth + 1));
    return value.length > mostMembers ? [...kept, `… ${value.length - mostMembers} more`] : kept;
  }
  const members = Object.entries(value).slice(0, mostMembers);
  return Object.fromEntries(members.map(([name, member]) => [name, bound(member, depth + 1)]));
}
