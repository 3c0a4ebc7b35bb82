/** A conversation as the widget draws and stores it; `chat.ts` turns the SDK's messages into this. */
import type { ContextItem } from '@docent/shared/assistant';

export interface Source {
  id: string;
  url: string;
  title: string;
}

export interface Message {
  id: string;
  role: 'user' | 'assistant';
  text: string;
  sources: Source[];
  /** What the question was about besides its words. */
  context: ContextItem[];
  /** An answer that is not whole: the reader stopped it, or the line broke. */
  ended?: 'stopped' | 'interrupted' | undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isContextItem(value: unknown): value is ContextItem {
  return (
    isRecord(value) &&
    (value['type'] === 'code' || value['type'] === 'textSelection') &&
    typeof value['value'] === 'string'
  );
}

function isSource(value: unknown): value is Source {
  return isRecord(value) && ['id', 'url', 'title'].every((key) => typeof value[key] === 'string');
}

/** Stored text may be of an older version, another program's, or cut off. */
export function isMessage(value: unknown): value is Message {
  if (!isRecord(value)) return false;
  const { id, role, text, sources, context } = value;
  return (
    typeof id === 'string' &&
    (role === 'user' || role === 'assistant') &&
    typeof text === 'string' &&
    Array.isArray(sources) &&
    sources.every(isSource) &&
    Array.isArray(context) &&
    context.every(isContextItem)
  );
}
