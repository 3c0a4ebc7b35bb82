/** A conversation as the widget draws and stores it; `chat.ts` turns the SDK's messages into this. */
import type { ContextItem } from '@docent/shared/assistant';
import type { FeedbackReason, FeedbackResponse } from '@docent/shared/feedback';
import type { AnswerStatus } from '@docent/shared/stream';

export interface Source {
  id: string;
  url: string;
  title: string;
  /** Words of it that the answer rests on. */
  quote?: string | undefined;
}

/** What the reader thinks of an answer. */
export interface Feedback {
  /** Missing: taken back, which the service does not know yet. */
  rating?: 'up' | 'down' | undefined;
  reasons?: FeedbackReason[] | undefined;
  note?: string | undefined;
  /** The page that made the answer wrong. */
  path?: string | undefined;
  /** What the service calls it; it is taken back by it. */
  id?: string | undefined;
  /** The service does not know it yet. */
  isWaiting?: boolean | undefined;
  /** What the service makes of it. */
  report?: FeedbackResponse['report'];
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
  /** What kind of answer it is, for programs. */
  status?: AnswerStatus['status'] | undefined;
  /** Questions to go on with, which the documentation answers. */
  suggestions?: string[] | undefined;
  feedback?: Feedback | undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isContextItem(value: unknown): value is ContextItem {
  return (
    isRecord(value) &&
    (value['type'] === 'code' || value['type'] === 'textSelection') &&
    typeof value['value'] === 'string' &&
    [value['path'], value['elementId']].every(isTextOrNothing)
  );
}

const isTextOrNothing = (value: unknown): boolean =>
  value === undefined || typeof value === 'string';

export const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

function isSource(value: unknown): value is Source {
  return (
    isRecord(value) &&
    ['id', 'url', 'title'].every((key) => typeof value[key] === 'string') &&
    isTextOrNothing(value['quote'])
  );
}

const statuses: readonly unknown[] = [
  'answered',
  'unanswered',
  'refused',
] satisfies AnswerStatus['status'][];
export const isStatus = (value: unknown): value is AnswerStatus['status'] =>
  statuses.includes(value);

function isFeedback(value: unknown): value is Feedback {
  return (
    isRecord(value) &&
    [value['rating'], value['note'], value['path'], value['id']].every(isTextOrNothing) &&
    (value['reasons'] === undefined || isTextList(value['reasons']))
  );
}

/** Stored text may be of an older version, another program's, or cut off. */
export function isMessage(value: unknown): value is Message {
  if (!isRecord(value)) return false;
  const { id, role, text, sources, context, status, suggestions, feedback } = value;
  return (
    typeof id === 'string' &&
    (role === 'user' || role === 'assistant') &&
    typeof text === 'string' &&
    Array.isArray(sources) &&
    sources.every(isSource) &&
    Array.isArray(context) &&
    context.every(isContextItem) &&
    (status === undefined || isStatus(status)) &&
    (suggestions === undefined || isTextList(suggestions)) &&
    (feedback === undefined || isFeedback(feedback))
  );
}
