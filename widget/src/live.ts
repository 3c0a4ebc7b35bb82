/** One conversation that is open or being answered: its messages as signals, saved as they change. */
import type { ContextItem } from '@docent/shared/assistant';
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { LineState } from './answer-line.ts';
import type { ChatOfSdk, ChatStatus } from './chat.ts';
import { createFrame } from './frame.ts';
import { mergeMessages } from './merge-messages.ts';
import type { Feedback, Message } from './message.ts';
import { newId } from './new-id.ts';
import { isOfTheLine, toProblem, type Problem } from './problems.ts';
import { mostMessages, type Running, type Saved, titleOf } from './saved.ts';
import type { Settings } from './settings.ts';
import type { Storage } from './storage.ts';
import { turn } from './turn.ts';
import { warn } from './warn.ts';

export interface Live {
  id: string;
  threadId: () => string | undefined;
  messages: ReadonlySignal<Message[]>;
  status: ReadonlySignal<ChatStatus>;
  isBusy: ReadonlySignal<boolean>;
  problem: ReadonlySignal<Problem | undefined>;
  line: ReadonlySignal<LineState>;
  ask: (text: string, context: ContextItem[]) => void;
  /** Asks other words in the place of this question; it and all that followed are replaced. */
  edit: (questionId: string, text: string, context: ContextItem[]) => void;
  /** Replaces the last answer, or asks the last question that has none. */
  retry: () => void;
  stop: () => Promise<void>;
  setFeedback: (messageId: string, feedback: Feedback | undefined) => void;
  save: () => void;
  /** Another tab has saved this conversation. */
  adopt: () => void;
  /** `isGone`: it was deleted, so it is not saved again. */
  dispose: (isGone?: boolean) => void;
}

export interface LiveParts {
  settings: ReadonlySignal<Settings>;
  /** The reader agrees that something is sent. */
  isAllowed: ReadonlySignal<boolean>;
  storage: Storage;
  /** It was saved: the list may have changed. */
  onSaved: () => void;
  /** It was deleted in another tab. */
  onDeleted: () => void;
}

const saveEveryMs = 1500;
/** A question that nobody got is not sent by itself any more after this long. */
const longestQueuedMs = 600_000;

export function createLive(
  { settings, isAllowed, storage, onSaved, onDeleted }: LiveParts,
  saved: Saved | undefined,
): Live {
  const id = saved?.id ?? newId();
  const createdAt = saved?.createdAt ?? Date.now();
  /** Since it was saved. What did not change is not written again: it may have been cleared meanwhile. */
  let isChanged = false;
  let updatedAt = saved?.updatedAt ?? createdAt;
  let threadId = saved?.threadId;
  /** What this tab and the storage agreed on last; the object tells whether another tab wrote since. */
  let agreed = { stored: saved, messages: saved?.messages ?? [] };
  const messages = signal<Message[]>(saved?.messages ?? []);
  const status = signal<ChatStatus>('ready');
  const problem = signal<Problem | undefined>(undefined);
  const line = signal<LineState>('ok');
  const isBusy = computed(() => status.value !== 'ready');
  const gone = new AbortController();
  let chat: ChatOfSdk | undefined;
  /** Asked, and on the screen, but not with the chat yet. */
  let early: Message | undefined;
  /** Wanted, and the chat has not begun with it. */
  let isBeginning = false;
  let startedAt = 0;
  let saving: ReturnType<typeof setTimeout> | undefined;

  /** With what another tab has written since. While an answer grows here, only the storage gets it. */
  const withOthers = (): Message[] => {
    const stored = storage.load(id);
    if (!stored || stored === agreed.stored) return messages.value;
    threadId ??= stored.threadId;
    // Never back in time: two tabs would go on correcting each other.
    updatedAt = Math.max(updatedAt, stored.updatedAt);
    const mine = messages.value;
    // What the storage has no room for has not been removed.
    const isCut = stored.messages.length >= mostMessages;
    const first = isCut ? mine.findIndex((each) => each.id === stored.messages[0]?.id) : 0;
    const merged = [
      ...mine.slice(0, Math.max(0, first)),
      ...mergeMessages(agreed.messages, mine.slice(Math.max(0, first)), stored.messages),
    ];
    if (!isBusy.value) {
      agreed = { stored, messages: merged };
      if (merged.length !== mine.length || merged.some((each, at) => each !== mine[at])) {
        messages.value = merged;
        chat?.setMessages(merged);
      }
    }
    return merged;
  };

  /** What a page that comes after this one, or another tab, can go on with. */
  const runningNow = (): Running | undefined => {
    const isOpen = isBusy.value || (problem.value && isOfTheLine(problem.value));
    // What has not been sent has no name to the service.
    return isOpen && chat && !early ? { ...chat.running(), startedAt } : undefined;
  };

  /** What another tab asked in this conversation meanwhile stays its own to end. */
  const runningElsewhere = (stored: Saved | undefined): Running | undefined =>
    stored?.running?.chatId === chat?.running().chatId ? undefined : stored?.running;

  const save = () => {
    clearTimeout(saving);
    saving = undefined;
    if (gone.signal.aborted || !isChanged || !messages.value.length) return;
    isChanged = isBusy.value;
    const stored = storage.load(id);
    const all = withOthers();
    // Whoever loads this while the answer runs, or after it broke off, has only its first part.
    const isPart = isBusy.value || Boolean(chat?.error());
    const last = messages.value.at(-1);
    const partId = isPart && last?.role === 'assistant' ? last.id : undefined;
    const kept = all.map((message) =>
      message.id === partId ? { ...message, ended: 'interrupted' as const } : message,
    );
    // The name its reader gave it, also in another tab.
    const isNamed = stored && stored.title !== titleOf(stored.messages);
    const isSaved = storage.save({
      id,
      threadId,
      title: isNamed ? stored.title : titleOf(all),
      createdAt,
      updatedAt,
      messages: kept,
      running: runningNow() ?? runningElsewhere(stored),
      draft: stored?.draft ?? '',
    });
    if (!isSaved) return onDeleted();
    if (!isBusy.value) agreed = { stored: storage.load(id), messages: all };
    onSaved();
  };

  const update = () => {
    if (!chat) return;
    const wasBusy = isBusy.value;
    isChanged = true;
    messages.value = early ? [...chat.messages(), early] : chat.messages();
    status.value = early || isBeginning ? 'waiting' : chat.status();
    if (wasBusy && !isBusy.value) {
      updatedAt = Date.now();
      save();
    } else saving ??= setTimeout(save, saveEveryMs);
  };
  const frame = createFrame(update);

  const fail = (error: unknown) => {
    const last = messages.value.at(-1);
    const hasPart = last?.role === 'assistant' && last.text !== '';
    const found = toProblem(error, { isOnline: navigator.onLine, hasPart, now: Date.now() });
    problem.value = found;
    if (found.forOwner) warn(found.forOwner);
    isChanged = true;
    save();
  };

  const loadChat = async (): Promise<ChatOfSdk> => {
    const { createChat } = await import('./chat.ts');
    const { base, site, key } = settings.peek();
    const endpoint = (path: string) => `${base}/discovery/${path}/${encodeURIComponent(site)}`;
    return (chat ??= createChat({
      url: `${endpoint('v2/assistant')}/message`,
      challengeUrl: endpoint('v1/challenge'),
      key,
      filter: () => settings.peek().filter,
      messages: early ? messages.value.slice(0, -1) : messages.value,
      fp: () => storage.needFp(),
      threadId: () => threadId,
      onThread: (id) => (threadId = id),
      onChange: frame.request,
      gapMs: frame.gapMs,
      onLine: (state) => (line.value = state),
    }));
  };
  let loading: Promise<ChatOfSdk> | undefined;
  const withChat = () =>
    (loading ??= loadChat().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));

  const run = async (
    work: (ready: ChatOfSdk) => Promise<void>,
    since = Date.now(),
  ): Promise<void> => {
    problem.value = undefined;
    isBeginning = true;
    status.value = 'waiting';
    startedAt = since;
    updatedAt = Date.now();
    isChanged = true;
    try {
      const ready = await withChat();
      // First the question is on the screen, then it is sent, then it is stored: each in a task of its
      // own, as all of it together would hold up a slow telephone.
      await turn();
      if (gone.signal.aborted) return;
      const working = work(ready);
      isBeginning = false;
      frame.flush();
      // Other tabs see the question at once; a page that is left before saves it by itself.
      clearTimeout(saving);
      saving = setTimeout(save);
      await working;
      frame.flush();
      if (ready.error()) fail(ready.error());
    } catch (error) {
      isBeginning = false;
      status.value = 'ready';
      fail(error);
    }
  };

  const leaving = () => {
    frame.flush();
    save();
  };
  addEventListener('pagehide', leaving, { signal: gone.signal });
  const onOnline = () => problem.value && isOfTheLine(problem.value) && live.retry();
  addEventListener('online', onOnline, { signal: gone.signal });
  // A tab that nobody looks at reads along when somebody does: browsers have few connections to a host.
  const onLook = () => document.hidden || live.adopt();
  document.addEventListener('visibilitychange', onLook, { signal: gone.signal });
  let followed: string | undefined;
  /** Reads the answer that another page, or another tab, has asked for. */
  const follow = (running: Running | undefined) => {
    if (!isAllowed.peek()) return;
    if (!running || running.chatId === followed || running.chatId === chat?.running().chatId)
      return;
    const isStale = Date.now() - running.startedAt > longestQueuedMs;
    if (isStale && !running.messageId) return;
    followed = running.chatId;
    void run((ready) => ready.goOn(running), running.startedAt);
  };

  // The reader is here: fetch the rest of the code while the first question is being written.
  void withChat().catch(() => {});

  const live: Live = {
    id,
    threadId: () => threadId,
    messages,
    status,
    isBusy,
    problem,
    line,
    ask(text, context) {
      if (isBusy.value) return;
      withOthers();
      const question: Message = { id: newId(), role: 'user', text, context, sources: [] };
      // Shown at once, also where the chat's code is still on its way.
      messages.value = [...messages.value, question];
      early = question;
      void run((ready) => {
        early = undefined;
        return ready.send(question);
      });
    },
    edit(questionId, text, context) {
      if (isBusy.value) return;
      withOthers();
      // Never sent, as the chat's code did not come: there is nothing to replace.
      if (early?.id === questionId) {
        early = { ...early, text, context };
        messages.value = [...messages.value.slice(0, -1), early];
        live.retry();
      } else void run((ready) => ready.resend(questionId, text, context));
    },
    retry() {
      if (isBusy.value || !messages.value.length) return;
      const question = early;
      // Perhaps the answer is there and only the way to it was not: then nobody is asked again.
      const isGoingOn = problem.value && isOfTheLine(problem.value);
      void run((ready) => {
        early = undefined;
        if (question) return ready.send(question);
        return isGoingOn ? ready.goOn() : ready.retry();
      });
    },
    async stop() {
      await chat?.stop();
      frame.flush();
    },
    setFeedback(messageId, feedback) {
      isChanged = true;
      if (chat) chat.setFeedback(messageId, feedback);
      else {
        messages.value = messages.value.map((message) =>
          message.id === messageId ? { ...message, feedback } : message,
        );
      }
      frame.flush();
      save();
    },
    save,
    adopt() {
      if (isBusy.value) return;
      withOthers();
      if (!document.hidden) follow(storage.load(id)?.running);
    },
    dispose(isGone = false) {
      if (!isGone) save();
      gone.abort();
      clearTimeout(saving);
      frame.cancel();
      void chat?.dispose();
    },
  };
  follow(saved?.running);
  return live;
}
