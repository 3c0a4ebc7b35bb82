/** The storage format. Stored text may be damaged or come from another program. */
import { toJson } from '../chat/json.ts';
import { clip, oneLine } from '../chat/limits.ts';
import { isMessage, isRecord, type Message } from '../chat/message.ts';

/** An answer that the service may still be writing. */
export interface Running {
  questionId: string;
  /** Missing before the answer has begun. */
  messageId: string | undefined;
  startedAt: number;
}

/** A row in the list of conversations. */
export interface Summary {
  id: string;
  threadId: string | undefined;
  title: string;
  createdAt: number;
  /** When it was last asked or answered. */
  updatedAt: number;
}

export interface Saved extends Summary {
  messages: Message[];
  running: Running | undefined;
}

/** A deleted conversation. It keeps its `threadId` until the service has been told. */
export interface Deleted {
  id: string;
  threadId: string | undefined;
}

/**
 * The list of one site. Conversations are separate, so that a growing answer rewrites only its own.
 */
export interface Index {
  /** The reader's random ID, created with the first question. */
  fp: string | undefined;
  conversations: Summary[];
  deleted: Deleted[];
}

export const maxConversations = 50;
export const maxMessages = 60;
const maxTitle = 80;

const version = 1;

/** The default title: the first question. */
export function titleOf(messages: readonly Message[]): string {
  return clip(oneLine(messages.find(({ role }) => role === 'user')?.text ?? ''), maxTitle);
}

/** The reader's title, or the default if it's empty. */
export function asTitle(words: string, messages: readonly Message[]): string {
  return oneLine(words).slice(0, 200) || titleOf(messages);
}

const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value ? value : undefined;
const asTime = (value: unknown): number => (Number.isFinite(value) ? (value as number) : 0);

function toSummary(value: unknown): Summary | undefined {
  if (!isRecord(value)) return undefined;
  const { id, threadId, title, createdAt, updatedAt } = value;
  if (typeof id !== 'string' || !id || typeof title !== 'string') return undefined;
  return {
    id,
    threadId: asText(threadId),
    title,
    createdAt: asTime(createdAt),
    updatedAt: asTime(updatedAt),
  };
}

function toRunning(value: unknown): Running | undefined {
  if (!isRecord(value) || typeof value['questionId'] !== 'string') return undefined;
  const { questionId, messageId, startedAt } = value;
  return { questionId, messageId: asText(messageId), startedAt: asTime(startedAt) };
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}

export function readSaved(text: string | null): Saved | undefined {
  const value = parseJson(text);
  const summary = toSummary(value);
  if (!summary || !isRecord(value) || !Array.isArray(value['messages'])) return undefined;
  return {
    ...summary,
    messages: value['messages'].filter(isMessage).slice(-maxMessages),
    running: toRunning(value['running']),
  };
}

export function readIndex(text: string | null): Index | undefined {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const { fp, conversations, deleted } = value;
  if (value['version'] !== version || !Array.isArray(conversations)) return undefined;
  return {
    fp: asText(fp),
    conversations: conversations.flatMap((each) => toSummary(each) ?? []),
    deleted: (Array.isArray(deleted) ? deleted : []).flatMap((each: unknown) =>
      isRecord(each) && typeof each['id'] === 'string'
        ? [{ id: each['id'], threadId: asText(each['threadId']) }]
        : [],
    ),
  };
}

export const writeIndex = (index: Index): string => toJson({ version, ...index });
export const writeSaved = (saved: Saved): string => toJson(saved);

export const toRow = ({ messages: _messages, running: _running, ...row }: Saved): Summary => row;
