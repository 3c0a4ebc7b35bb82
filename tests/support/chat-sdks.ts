/**
 * The chat SDK as sites use it: `useChat`, rendered by the real React, over `DefaultChatTransport`.
 * React needs a document; everything else, `fetch` above all, stays Node's.
 */
import { createRequire } from 'node:module';
import { Window } from 'happy-dom';
import { createElement } from 'react';
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
  age: string,
  load: Pick<Release, 'ai' | 'react'>,
) => ({
  name,
  ...load,
  packages: { ai: `ai-${major}-${age}`, react: `ai-react-${major}-${age}` },
});

/** The oldest and the newest of every chat SDK that version 2 of the assistant is for. */
export const releases: Release[] = [
  release('5.0.0', 5, 'oldest', {
    ai: () => import('ai-5-oldest'),
    react: () => import('ai-react-5-oldest'),
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
  release('7.0.173', 7, 'newest', {
    ai: () => import('ai-7-newest'),
    react: () => import('ai-react-7-newest'),
  }),
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
  sendMessage(message: { text: string }): Promise<void>;
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
  const window = new Window();
  // React DOM looks for these when it is loaded.
  Object.assign(globalThis, { window, document: window.document });
  const { createRoot } = await import('react-dom/client');
  const { DefaultChatTransport } = (await ai()) as {
    DefaultChatTransport: new (options: object) => object;
  };
  const { useChat } = (await react()) as { useChat: (options: object) => Chat };
  const gone = new AbortController();
  const transport = new DefaultChatTransport({
    api,
    fetch: (input: string, init: RequestInit) => {
      const signal = AbortSignal.any([gone.signal, ...(init.signal ? [init.signal] : [])]);
      return fetch(input, { ...init, signal });
    },
    headers: { Authorization: `Bearer ${key}` },
    body: { fp: 'anonymous', retrievalPageSize: 5 },
  });
  let current: Chat | undefined;
  function Page() {
    current = useChat({ transport, ...options });
    return null;
  }
  const root = createRoot(window.document.createElement('div') as unknown as Element);
  root.render(createElement(Page));
  await waitFor('the hook to be rendered', () => current);
  const chat = () => current as Chat;
  return {
    chat,
    settled: () =>
      waitFor('the answer to end', () => {
        const { status } = chat();
        return status === 'ready' || status === 'error' ? chat() : false;
      }),
    /** The connection goes without a word, as when a page is left. */
    cut: () => gone.abort(),
    [Symbol.dispose]: () => root.unmount(),
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
