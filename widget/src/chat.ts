/**
 * The only file that knows the chat SDK, loaded when a reader opens the panel.
 *
 * `Chat` of @ai-sdk/react is the SDK's own store for a conversation; we listen to it and let signals
 * draw. Its hook would do the same through React's rendering, for 1.3 kB more (see README.md).
 */
import type { ContextItem } from '@docent/shared/assistant';
import { promises } from '@docent/shared/promises';
import { Chat } from '@ai-sdk/react';
import { HttpChatTransport, type UIMessageChunk } from 'ai';
import { AnswerError } from './answer-error.ts';
import type { LineState } from './answer-line.ts';
import { readAnswer } from './answer-stream.ts';
import { createAnswerFetch } from './fetch-answer.ts';
import { forJson } from './json.ts';
import { newId } from './new-id.ts';
import type { AnswerFilter } from './options.ts';
import type { Feedback, Message } from './message.ts';
import { currentPath } from './page.ts';
import {
  fromSdk,
  type Metadata,
  type SdkMessage,
  toSdk,
  toWire,
  toWireItem,
} from './sdk-messages.ts';

export type ChatStatus = 'ready' | 'waiting' | 'streaming';

/** What names an answer that is on its way to the service, also to a page that comes after this one. */
export interface RunningAnswer {
  /** Ours, made for each question: by it a question that is sent twice is answered once. */
  chatId: string;
  /** The service's, once the answer has begun. */
  messageId: string | undefined;
}

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
  /** The least time between two changes of a growing answer. */
  gapMs: () => number;
  /** The connection of the answer that is being read. */
  onLine: (state: LineState) => void;
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
  let running: RunningAnswer = { chatId: newId(), messageId: undefined };
  let isGoingOn = false;
  const begin = () => (running = { chatId: newId(), messageId: undefined });
  const aboutAnswer = (id: string, what: string) => ({
    url: `${options.url}/${encodeURIComponent(id)}/${what}`,
    headers: { authorization: `Bearer ${options.key}`, 'x-fp': options.fp() },
  });
  const transport = new AnswerTransport({
    api: options.url,
    credentials: 'omit',
    headers: { authorization: `Bearer ${options.key}` },
    fetch: createAnswerFetch({
      onThread: options.onThread,
      onThreadLost: () => options.onThread(undefined),
      challengeUrl: options.challengeUrl,
      again: (messageId) => aboutAnswer(messageId, 'stream'),
      onLine: options.onLine,
      gapMs: options.gapMs,
    }),
    prepareReconnectToStreamRequest() {
      const { url: api, headers } = aboutAnswer(running.messageId ?? running.chatId, 'stream');
      return { api, headers };
    },
    prepareSendMessagesRequest({ messages, trigger, messageId }) {
      const context = messages.findLast(({ role }) => role === 'user')?.metadata?.context;
      const body = forJson({
        id: running.chatId,
        trigger,
        messageId,
        fp: options.fp(),
        threadId: options.threadId(),
        retrievalPageSize: promises.retrievalPageSizeDefault,
        currentPath: currentPath(),
        filter: options.filter(),
        context: context?.map(toWireItem),
        messages: messages.slice(-longestHistory).map(toWire),
      });
      // These are all of its headers but those of the SDK itself.
      const authorization = `Bearer ${options.key}`;
      return { body, headers: { authorization, 'idempotency-key': running.chatId } };
    },
  });
  const chat = new Chat<SdkMessage>({ transport, messages: options.messages.map(toSdk) });

  const stopListening = [
    chat['~registerMessagesCallback'](() => {
      const last = chat.lastMessage;
      const threadId = last?.metadata?.threadId;
      if (last?.role === 'assistant' && chat.status === 'streaming') running.messageId = last.id;
      if (threadId && threadId !== options.threadId()) options.onThread(threadId);
      options.onChange();
    }),
    chat['~registerStatusCallback'](options.onChange),
  ];
  /** Stops the model at once: a connection that breaks may be a reload, so the service waits for it a while. */
  const stopModel = (): void => {
    if (chat.status !== 'submitted' && chat.status !== 'streaming') return;
    const { url, headers } = aboutAnswer(running.messageId ?? running.chatId, 'stop');
    const request = { method: 'POST', headers, credentials: 'omit', keepalive: true } as const;
    fetch(url, request).catch(() => {
      // Then it stops a little later, by itself.
    });
  };
  const markStopped = (): void => {
    const last = chat.lastMessage;
    if (last?.role !== 'assistant' || last.metadata?.ended === 'stopped') return;
    const metadata: Metadata = { ...last.metadata, ended: 'stopped' };
    chat.messages = [...chat.messages.slice(0, -1), { ...last, metadata }];
  };
  // The SDK makes a new object for a message that changed, so an unchanged one needs no new work.
  const known = new WeakMap<SdkMessage, Message>();

  const submitAgain = (last: SdkMessage): Promise<void> => {
    const { id: messageId, metadata, parts } = last;
    return chat.sendMessage({ role: 'user', parts, messageId, ...(metadata ? { metadata } : {}) });
  };

  return {
    running: (): RunningAnswer => running,
    messages: (): Message[] =>
      chat.messages.map((message) => {
        let mine = known.get(message);
        if (!mine) known.set(message, (mine = fromSdk(message)));
        return mine;
      }),
    status(): ChatStatus {
      if (chat.status === 'streaming') return 'streaming';
      // Until the service has answered, the SDK does not count reading on as work.
      return chat.status === 'submitted' || isGoingOn ? 'waiting' : 'ready';
    },
    error: (): unknown => chat.error,
    send(question: Message): Promise<void> {
      begin();
      return chat.sendMessage(toSdk(question));
    },
    /** In the place of a question; the SDK takes away what followed it, and the service does too. */
    resend(messageId: string, text: string, context: ContextItem[]): Promise<void> {
      begin();
      return chat.sendMessage({
        role: 'user',
        parts: [{ type: 'text', text }],
        messageId,
        metadata: context.length ? { context } : {},
      });
    },
    retry(): Promise<void> {
      begin();
      const last = chat.lastMessage;
      // Never answered: the same question is submitted again, as there is no answer to replace.
      return last?.role === 'user' ? submitAgain(last) : chat.regenerate();
    },
    /**
     * Reads the answer that is on its way, from its beginning; the model is not asked again. A question
     * that the service never got is sent, under the name it had.
     */
    async goOn(from?: RunningAnswer): Promise<void> {
      if (from) running = from;
      isGoingOn = true;
      try {
        // An answer's first part has the id of the answer, so the SDK puts the answer in its place.
        await chat.resumeStream();
        const isGone = chat.error instanceof AnswerError && chat.error.hindrance === 'gone';
        const last = chat.lastMessage;
        if (!isGone || running.messageId || last?.role !== 'user') return;
        chat.clearError();
        await submitAgain(last);
      } finally {
        isGoingOn = false;
      }
    },
    async stop(): Promise<void> {
      stopModel();
      // Before, so that whoever hears of the end hears that it was stopped; and after, as the SDK may
      // have written its own message once more.
      markStopped();
      await chat.stop();
      markStopped();
    },
    /** What the reader thinks of an answer goes with it, also while another is on its way. */
    setFeedback(messageId: string, feedback: Feedback | undefined): void {
      chat.messages = chat.messages.map((message) =>
        message.id === messageId
          ? { ...message, metadata: { ...message.metadata, feedback } }
          : message,
      );
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
