/** The chat SDK as sites use it: `useChat`, rendered by the real React, over `DefaultChatTransport`. */
import { createRequire } from 'node:module';
import { renderHook } from './render-hook.ts';
import { waitFor } from './wait-for.ts';

interface Release {
  name: string;
  ai: () => Promise<{ DefaultChatTransport: unknown }>;
  react: () => Promise<{ useChat: unknown }>;
  packages: { ai: string; react: string };
}

const release = (
  name: string,
  major: number,
  age: 'oldest' | 'newest' | '100' | '216',
  load: Pick<Release, 'ai' | 'react'>,
) => ({
  name,
  ...load,
  packages: { ai: `ai-${major}-${age}`, react: `ai-react-${major}-${age}` },
});

/**
 * The oldest and the newest of every chat SDK that version 2 of the assistant is for, and two of 5: one
 * between its extremes, and the last that refuses keys that it does not know.
 */
export const releases: Release[] = [
  release('5.0.0', 5, 'oldest', {
    ai: () => import('ai-5-oldest'),
    react: () => import('ai-react-5-oldest'),
  }),
  release('5.0.100', 5, '100', {
    ai: () => import('ai-5-100'),
    react: () => import('ai-react-5-100'),
  }),
  release('5.0.216', 5, '216', {
    ai: () => import('ai-5-216'),
    react: () => import('ai-react-5-216'),
  }),
  release('5.0.277', 5, 'newest', {
    ai: () => import('ai-5-newest'),
    react: () => import('ai-react-5-newest'),
  }),
  release('6.0.0', 6, 'oldest', {
    ai: () => import('ai-6-oldest'),
    react: () => import('ai-react-6-oldest'),
  }),
  release('6.0.326', 6, 'newest', {
    ai: () => import('ai-6-newest'),
    react: () => import('ai-react-6-newest'),
  }),
  release('7.0.0', 7, 'oldest', {
    ai: () => import('ai-7-oldest'),
    react: () => import('ai-react-7-oldest'),
  }),
  {
    ...release('7.0.173', 7, 'newest', {
      ai: () => import('ai-7-newest'),
      react: () => import('@ai-sdk/react'),
    }),
    packages: { ai: 'ai-7-newest', react: '@ai-sdk/react' },
  },
];

/** What is used of the hook; the same in all releases. */
export interface Chat {
  messages: {
    id: string;
    role: string;
    parts: { type: string; [key: string]: unknown }[];
    metadata?: { threadId?: string };
  }[];
  status: 'submitted' | 'streaming' | 'ready' | 'error';
  error?: Error;
  sendMessage(message: { text: string; messageId?: string }): Promise<void>;
  regenerate(): Promise<void>;
  stop(): Promise<void>;
  resumeStream(): Promise<void>;
}

interface ChatPage {
  api: string;
  key: string;
  /** What the page calls its conversation, where it does. */
  id?: string;
  messages?: Chat['messages'];
}

/** A page with a chat in it, as a site's developer would write it. */
export async function renderChat({ ai, react }: Release, { api, key, ...options }: ChatPage) {
  const gone = new AbortController();
  const page = await renderHook(async () => {
    const { DefaultChatTransport } = (await ai()) as {
      DefaultChatTransport: new (options: object) => object;
    };
    const { useChat } = (await react()) as { useChat: (options: object) => Chat };
    const transport = new DefaultChatTransport({
      api,
      fetch: (input: string, init: RequestInit) => {
        const signal = AbortSignal.any([gone.signal, ...(init.signal ? [init.signal] : [])]);
        return fetch(input, { ...init, signal });
      },
      headers: { Authorization: `Bearer ${key}` },
      body: { fp: 'anonymous', retrievalPageSize: 5 },
    });
    return () => useChat({ transport, ...options });
  });
  const chat = page.current;
  return {
    chat,
    settled: () =>
      waitFor('the answer to end', () => {
        const { status } = chat();
        return status === 'ready' || status === 'error' ? chat() : false;
      }),
    /** The connection goes without a word, as when a page is left. */
    cut: () => gone.abort(),
    [Symbol.dispose]: page[Symbol.dispose],
  };
}

export function answerOf(chat: Chat) {
  const message = chat.messages.at(-1);
  if (message?.role !== 'assistant') throw new Error('The last message is not an answer');
  return {
    ...message,
    text: message.parts
      .filter((part) => part.type === 'text')
      .map((part) => part['text'])
      .join(''),
    sources: message.parts.filter((part) => part.type === 'source-url'),
  };
}

/** The release of `ai` that this one's React package is built on. */
export function versions({ packages }: Release): { transport: string; hook: string } {
  const here = createRequire(import.meta.url);
  const read = (from: NodeJS.Require, name: string) =>
    (from(`${name}/package.json`) as { version: string }).version;
  const react = createRequire(here.resolve(`${packages.react}/package.json`));
  return { transport: read(here, packages.ai), hook: read(react, 'ai') };
}
