/** Messages as the widget draws and stores them. */
import type { ContextItem } from '@docent/shared/assistant';
import type { FeedbackReason, FeedbackResponse } from '@docent/shared/feedback';
import type { AnswerStatus } from '@docent/shared/stream';

export interface Source {
  id: string;
  url: string;
  title: string;
  /** The words that support the answer. */
  quote?: string | undefined;
}

export interface Feedback {
  /** Missing if the rating was taken back, and the service doesn't know yet. */
  rating?: 'up' | 'down' | undefined;
  reasons?: FeedbackReason[] | undefined;
  note?: string | undefined;
  /** The page that made the answer wrong. */
  path?: string | undefined;
  /** The service's ID of the feedback. */
  id?: string | undefined;
  /** The service doesn't know it yet. */
  isWaiting?: boolean | undefined;
  report?: FeedbackResponse['report'];
}

/** Each has a text of the same name. */
export type Ending =
  /** By the reader. */
  | 'stopped'
  /** The connection broke. */
  | 'interrupted'
  /** The model reached its maximum length. */
  | 'truncated'
  /** The model began to repeat itself. */
  | 'repeated'
  /** The model's provider withheld the rest. */
  | 'withheld';

export interface Message {
  id: string;
  role: 'user' | 'assistant';
  text: string;
  sources: Source[];
  context: ContextItem[];
  /** Why the answer is incomplete. */
  ended?: Ending | undefined;
  status?: AnswerStatus['status'] | undefined;
  /** When its pages were read, and the versions of those that it cites. */
  asOf?: number | undefined;
  versions?: string | undefined;
  /** The model thinks, and has written nothing for the reader. */
  isThinking?: boolean | undefined;
  /** It asks back, and offers these. */
  choices?: string[] | undefined;
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

export const isStatus = (value: unknown): value is AnswerStatus['status'] =>
  value === 'answered' || value === 'unanswered' || value === 'refused';

const endings = /^(stopped|interrupted|truncated|repeated|withheld)$/;

function isFeedback(value: unknown): value is Feedback {
  return (
    isRecord(value) &&
    [value['rating'], value['note'], value['path'], value['id']].every(isTextOrNothing) &&
    (value['reasons'] === undefined || isTextList(value['reasons']))
  );
}

/** Stored text may be damaged or come from another program. */
export function isMessage(value: unknown): value is Message {
  if (!isRecord(value)) return false;
  const { id, role, text, sources, context, ended, status, suggestions, feedback } = value;
  const { asOf, versions, choices } = value;
  return (
    typeof id === 'string' &&
    (role === 'user' || role === 'assistant') &&
    typeof text === 'string' &&
    Array.isArray(sources) &&
    sources.every(isSource) &&
    Array.isArray(context) &&
    context.every(isContextItem) &&
    (ended === undefined || endings.test(String(ended))) &&
    (status === undefined || isStatus(status)) &&
    (asOf === undefined || typeof asOf === 'number') &&
    isTextOrNothing(versions) &&
    (choices === undefined || isTextList(choices)) &&
    (suggestions === undefined || isTextList(suggestions)) &&
    (feedback === undefined || isFeedback(feedback))
  );
}
