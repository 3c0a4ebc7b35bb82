/**
 * The only file that knows the chat SDK, loaded when a reader opens the panel.
 *
 * `Chat` of @ai-sdk/react is the SDK's own store for a conversation; we listen to it and let signals
 * draw. Its hook would do the same through React's rendering, for 1.3 kB more (see README.md).
 */
import type { ContextItem } from '@docent/shared/assistant';
import { promises } from '@docent/shared/promises';
import { Chat } from '@ai-sdk/react';
import { HttpChatTransport, type UIMessage, type UIMessageChunk } from 'ai';
import { readAnswer } from './answer-stream.ts';
import { createAnswerFetch } from './fetch-answer.ts';
import { isRecord, type Message } from './message.ts';
import type { AnswerFilter } from './options.ts';
import { currentPath } from './page.ts';

interface Metadata {
  threadId?: string;
  context?: ContextItem[];
  ended?: Message['ended'];
}
type SdkMessage = UIMessage<Metadata>;

export type ChatStatus = 'ready' | 'waiting' | 'streaming';

export interface ChatOptions {
  url: string;
  challengeUrl: string;
  key: string;
  messages: Message[];
  /** What of the documentation the next answer may use. */
  filter: () => AnswerFilter | undefined;
  fp: () => string;
  threadId: () => string | undefined;
  onThread: (threadId: string | undefined) => void;
  /** Called at each part of an answer, so it must be cheap. */
  onChange: () => void;
}

function fromSdk({ id, role, parts, metadata }: SdkMessage): Message {
  const message: Message = {
    id,
    role: role === 'user' ? 'user' : 'assistant',
    text: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n'),
    sources: parts.flatMap((part) =>
      part.type === 'source-url'
        ? [{ id: part.sourceId, url: part.url, title: part.title ?? part.url }]
        : [],
    ),
    context: metadata?.context ?? [],
  };
  if (metadata?.ended) message.ended = metadata.ended;
  return message;
}

function toSdk({ id, role, text, sources, context, ended }: Message): SdkMessage {
  return {
    id,
    role,
    parts: [
      ...sources.map(({ id: sourceId, url, title }) => ({
        type: 'source-url' as const,
        sourceId,
        url,
        title,
      })),
      { type: 'text', text },
    ],
    metadata: { ...(context.length ? { context } : {}), ...(ended ? { ended } : {}) },
  };
}

/** What the service is told of a piece of the page. */
const toWireItem = ({ type, value, path, elementId }: ContextItem) => ({
  type,
  value,
  path,
  elementId,
});

/** What the service reads of a message: who said which words. */
function toWire({ id, role, parts }: SdkMessage) {
  const texts = parts.flatMap((part) =>
    part.type === 'text' ? [{ type: 'text', text: part.text }] : [],
  );
  return { id, role, parts: texts };
}

const longestHistory = 40;

/** The SDK's own checks each part with zod, one by one: a fifth of all the work of an answer. */
class AnswerTransport extends HttpChatTransport<SdkMessage> {
  protected override processResponseStream(
    body: ReadableStream<Uint8Array>,
  ): ReadableStream<UIMessageChunk> {
    return readAnswer(body);
  }
}

export function createChat(options: ChatOptions) {
  const transport = new AnswerTransport({
    api: options.url,
    credentials: 'omit',
    headers: { authorization: `Bearer ${options.key}` },
    fetch: createAnswerFetch({
      onThread: options.onThread,
      onThreadLost: () => options.onThread(undefined),
      challengeUrl: options.challengeUrl,
    }),
    prepareSendMessagesRequest({ id, messages, trigger, messageId }) {
      const context = messages.findLast(({ role }) => role === 'user')?.metadata?.context;
      const body = {
        id,
        trigger,
        messageId,
        fp: options.fp(),
        threadId: options.threadId(),
        retrievalPageSize: promises.retrievalPageSizeDefault,
        currentPath: currentPath(),
        filter: options.filter(),
        context: context?.map(toWireItem),
        messages: messages.slice(-longestHistory).map(toWire),
      };
      return { body };
    },
  });
  const chat = new Chat<SdkMessage>({ transport, messages: options.messages.map(toSdk) });

  const stopListening = [
    chat['~registerMessagesCallback'](() => {
      const threadId = chat.lastMessage?.metadata?.threadId;
      if (threadId && threadId !== options.threadId()) options.onThread(threadId);
      options.onChange();
    }),
    chat['~registerStatusCallback'](options.onChange),
  ];
  /** Stops the model at once: a connection that breaks may be a reload, so the service waits for it a while. */
  const stopModel = (): void => {
    if (chat.status !== 'submitted' && chat.status !== 'streaming') return;
    const last = chat.lastMessage;
    // Until the answer has begun it has no id of its own.
    const id = last?.role === 'assistant' ? last.id : chat.id;
    const headers = { authorization: `Bearer ${options.key}`, 'x-fp': options.fp() };
    const request = { method: 'POST', headers, credentials: 'omit', keepalive: true } as const;
    fetch(`${options.url}/${encodeURIComponent(id)}/stop`, request).catch(() => {
      // Then it stops a little later, by itself.
    });
  };
  // The SDK makes a new object for a message that changed, so an unchanged one needs no new work.
  const known = new WeakMap<SdkMessage, Message>();

  return {
    messages: (): Message[] =>
      chat.messages.map((message) => {
        let mine = known.get(message);
        if (!mine) known.set(message, (mine = fromSdk(message)));
        return mine;
      }),
    status: (): ChatStatus =>
      chat.status === 'submitted' ? 'waiting' : chat.status === 'streaming' ? 'streaming' : 'ready',
    error: (): unknown => chat.error,
    id: chat.id,
    send: (question: Message): Promise<void> => chat.sendMessage(toSdk(question)),
    /** In the place of a question; the SDK takes away what followed it, and the service does too. */
    resend: (messageId: string, text: string, context: ContextItem[]): Promise<void> =>
      chat.sendMessage({
        role: 'user',
        parts: [{ type: 'text', text }],
        messageId,
        metadata: context.length ? { context } : {},
      }),
    retry(): Promise<void> {
      const last = chat.lastMessage;
      if (last?.role !== 'user') return chat.regenerate();
      // Never answered: the same question is submitted again, as there is no answer to replace.
      const { id: messageId, metadata, parts } = last;
      return chat.sendMessage({
        role: 'user',
        parts,
        messageId,
        ...(metadata ? { metadata } : {}),
      });
    },
    async stop(): Promise<void> {
      stopModel();
      await chat.stop();
      const last = chat.lastMessage;
      if (last?.role !== 'assistant') return;
      const metadata: Metadata = {
        ...(isRecord(last.metadata) ? last.metadata : {}),
        ended: 'stopped',
      };
      chat.messages = [...chat.messages.slice(0, -1), { ...last, metadata }];
    },
    /** As another tab left them; only while no answer is on its way. */
    setMessages(messages: readonly Message[]): void {
      chat.messages = messages.map((message) => {
        const sdk = toSdk(message);
        known.set(sdk, message);
        return sdk;
      });
    },
    async dispose(): Promise<void> {
      stopListening.forEach((stop) => stop());
      await chat.dispose();
    },
  };
}

export type ChatOfSdk = ReturnType<typeof createChat>;
