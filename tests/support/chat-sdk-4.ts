/** Chat SDK 4 as sites use it: `useChat` of `ai/react`, with the settings that the service document asks for. */
import { createRequire } from 'node:module';
import { renderHook } from './render-hook.ts';
import { waitFor } from './wait-for.ts';

interface Release4 {
  name: string;
  /** Says in its second request that it knows `h:`, which it gives to the page as parts of the message. */
  hasSources: boolean;
  alias: string;
  react: () => Promise<{ useChat: unknown }>;
}

/** The oldest and the newest, and the releases around those in which parts and sources came. */
export const releases4: Release4[] = [
  {
    name: '4.0.0',
    hasSources: false,
    alias: 'ai-4-oldest',
    react: () => import('ai-4-oldest/react'),
  },
  {
    name: '4.1.16',
    hasSources: false,
    alias: 'ai-4-before-sources',
    react: () => import('ai-4-before-sources/react'),
  },
  {
    name: '4.1.34',
    hasSources: false,
    alias: 'ai-4-parts',
    react: () => import('ai-4-parts/react'),
  },
  {
    name: '4.1.35',
    hasSources: false,
    alias: 'ai-4-sources',
    react: () => import('ai-4-sources/react'),
  },
  {
    name: '4.3.19',
    hasSources: true,
    alias: 'ai-4-newest',
    react: () => import('ai-4-newest/react'),
  },
];

/** What is used of the hook; the same in all releases. */
export interface Chat4 {
  messages: {
    id: string;
    role: string;
    content: string;
    annotations?: Record<string, unknown>[];
    parts?: { type: string; source?: unknown }[];
  }[];
  data?: Record<string, unknown>[];
  error?: Error;
  isLoading: boolean;
  append(message: { role: 'user'; content: string }): Promise<unknown>;
  reload(): Promise<unknown>;
  stop(): void;
}

export async function renderChat4({ react }: Release4, { api, key }: { api: string; key: string }) {
  const finished: { finishReason: string; usage: unknown }[] = [];
  const page = await renderHook(async () => {
    const { useChat } = (await react()) as { useChat: (options: object) => Chat4 };
    const options = {
      api,
      headers: { Authorization: `Bearer ${key}` },
      body: { fp: 'anonymous', retrievalPageSize: 5 },
      streamProtocol: 'data',
      sendExtraMessageFields: true,
      onFinish: (_message: unknown, finish: (typeof finished)[number]) => finished.push(finish),
    };
    return () => useChat(options);
  });
  const chat = page.current;
  return {
    chat,
    finished,
    settled: () => waitFor('the answer to end', () => !chat().isLoading && chat()),
    [Symbol.dispose]: page[Symbol.dispose],
  };
}

export function answerOf4(chat: Chat4) {
  const message = chat.messages.at(-1);
  if (message?.role !== 'assistant') throw new Error('The last message is not an answer');
  const annotations = message.annotations ?? [];
  const threadId = annotations.find((each) => 'threadId' in each)?.['threadId'];
  return {
    ...message,
    threadId: typeof threadId === 'string' ? threadId : '',
    annotated: (type: string) => annotations.filter((each) => each['type'] === type),
    sources: (message.parts ?? []).flatMap((part) => (part.type === 'source' ? [part.source] : [])),
  };
}

export function versionOf4({ alias }: Release4): string {
  const here = createRequire(import.meta.url);
  return (here(`${alias}/package.json`) as { version: string }).version;
}
