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

type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === 'string';
const isOneOf =
  (names: RegExp): Check =>
  (value) =>
    typeof value === 'string' && names.test(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.entries(fields).every(([name, check]) => check(value[name]));

export const isStatus = isOneOf(/^(answered|unanswered|refused)$/) as (
  value: unknown,
) => value is AnswerStatus['status'];

/** Stored text may be damaged or come from another program. */
export const isMessage = shape({
  id: isText,
  role: isOneOf(/^(user|assistant)$/),
  text: isText,
  sources: listOf(shape({ id: isText, url: isText, title: isText, quote: optional(isText) })),
  context: listOf(
    shape({
      type: isOneOf(/^(code|textSelection)$/),
      value: isText,
      path: optional(isText),
      elementId: optional(isText),
    }),
  ),
  ended: optional(isOneOf(/^(stopped|interrupted|truncated|repeated|withheld)$/)),
  status: optional(isStatus),
  asOf: optional((value) => typeof value === 'number'),
  versions: optional(isText),
  choices: optional(listOf(isText)),
  suggestions: optional(listOf(isText)),
  feedback: optional(
    shape({
      rating: optional(isText),
      reasons: optional(listOf(isText)),
      note: optional(isText),
      path: optional(isText),
      id: optional(isText),
    }),
  ),
}) as (value: unknown) => value is Message;
