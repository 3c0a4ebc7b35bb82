/** One conversation: its messages as signals, its storage, and what happens when something fails. */
import type { ContextItem } from '@docent/shared/assistant';
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { ChatOfSdk, ChatStatus } from './chat.ts';
import { createFrame } from './frame.ts';
import type { Message } from './message.ts';
import { toProblem, type Problem } from './problems.ts';
import type { Settings } from './settings.ts';
import type { Storage } from './storage.ts';
import { warn } from './warn.ts';

export interface Session {
  messages: ReadonlySignal<Message[]>;
  status: ReadonlySignal<ChatStatus>;
  isBusy: ReadonlySignal<boolean>;
  /** No question yet. A signal of its own, as `messages` changes with every word. */
  isEmpty: ReadonlySignal<boolean>;
  problem: ReadonlySignal<Problem | undefined>;
  ask: (text: string, context: ContextItem[]) => void;
  /** Replaces the last answer, or asks the last question that has none. */
  retry: () => void;
  stop: () => void;
  /** Starts a new conversation. */
  clear: () => void;
  dispose: () => void;
}

const saveEveryMs = 1500;

function newId(): string {
  // `randomUUID` is missing where a page is not served over https.
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

export function createSession(settings: Settings, storage: Storage): Session {
  const saved = storage.load();
  let fp = saved?.fp;
  let threadId = saved?.threadId;
  let hasAsked = Boolean(saved?.messages.length);
  const messages = signal<Message[]>(saved?.messages ?? []);
  const status = signal<ChatStatus>('ready');
  const problem = signal<Problem | undefined>(undefined);
  const isBusy = computed(() => status.value !== 'ready');
  const isEmpty = computed(() => messages.value.length === 0);
  const gone = new AbortController();
  let chat: ChatOfSdk | undefined;
  /** Asked before the chat's code had come. */
  let early: { text: string; context: ContextItem[] } | undefined;
  let saving: ReturnType<typeof setTimeout> | undefined;

  const save = () => {
    clearTimeout(saving);
    saving = undefined;
    if (!hasAsked) return;
    fp ??= newId();
    // Whoever loads this while the answer runs, or after it broke off, has only its first part.
    const isPart = isBusy.value || Boolean(chat?.error());
    const last = messages.value.at(-1);
    const kept =
      isPart && last?.role === 'assistant'
        ? [...messages.value.slice(0, -1), { ...last, ended: 'interrupted' as const }]
        : messages.value;
    storage.save({ fp, threadId, messages: kept });
  };

  const update = () => {
    if (!chat) return;
    const wasBusy = isBusy.value;
    messages.value = chat.messages();
    status.value = chat.status();
    if (wasBusy && !isBusy.value) save();
    else saving ??= setTimeout(save, saveEveryMs);
  };
  const frame = createFrame(update);

  const fail = (error: unknown) => {
    const last = messages.value.at(-1);
    const hasPart = last?.role === 'assistant' && last.text !== '';
    const found = toProblem(error, { isOnline: navigator.onLine, hasPart, now: Date.now() });
    problem.value = found;
    if (found.forOwner) warn(found.forOwner);
  };

  const loadChat = async (): Promise<ChatOfSdk> => {
    const { createChat } = await import('./chat.ts');
    return (chat ??= createChat({
      url: `${settings.base}/discovery/v2/assistant/${encodeURIComponent(settings.site)}/message`,
      challengeUrl: `${settings.base}/discovery/v1/challenge/${encodeURIComponent(settings.site)}`,
      key: settings.key,
      messages: early ? messages.value.slice(0, -1) : messages.value,
      fp: () => (fp ??= newId()),
      threadId: () => threadId,
      onThread: (id) => (threadId = id),
      onChange: frame.request,
    }));
  };
  let loading: Promise<ChatOfSdk> | undefined;
  const withChat = () =>
    (loading ??= loadChat().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));

  const run = async (work: (ready: ChatOfSdk) => Promise<void>): Promise<void> => {
    problem.value = undefined;
    status.value = 'waiting';
    hasAsked = true;
    try {
      const ready = await withChat();
      if (gone.signal.aborted) return;
      await work(ready);
      frame.flush();
      if (ready.error()) fail(ready.error());
    } catch (error) {
      status.value = 'ready';
      fail(error);
    }
  };

  const leaving = () => {
    frame.flush();
    save();
  };
  addEventListener('pagehide', leaving, { signal: gone.signal });
  addEventListener('online', () => problem.value?.kind === 'offline' && session.retry(), {
    signal: gone.signal,
  });
  // The reader is here: fetch the rest of the code while the first question is being written.
  void withChat().catch(() => {});

  const session: Session = {
    messages,
    status,
    isBusy,
    isEmpty,
    problem,
    ask(text, context) {
      if (isBusy.value) return;
      // Shown at once, also where the chat's code is still on its way.
      if (!chat) {
        const question: Message = { id: newId(), role: 'user', text, context, sources: [] };
        messages.value = [...messages.value, question];
        early = { text, context };
      }
      void run((ready) => {
        early = undefined;
        return ready.send(text, context);
      });
    },
    retry() {
      if (isBusy.value || !messages.value.length) return;
      const question = early;
      early = undefined;
      void run((ready) => (question ? ready.send(question.text, question.context) : ready.retry()));
    },
    stop() {
      void chat?.stop().then(frame.flush);
    },
    clear() {
      const clean = () => {
        chat?.clear();
        threadId = undefined;
        early = undefined;
        messages.value = [];
        problem.value = undefined;
        frame.flush();
        save();
      };
      if (chat) void chat.stop().then(clean);
      else clean();
    },
    dispose() {
      gone.abort();
      save();
      frame.cancel();
      void chat?.dispose();
    },
  };
  return session;
}
