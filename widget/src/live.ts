/** One conversation that is open or being answered: its messages as signals, saved as they change. */
import type { ContextItem } from '@docent/shared/assistant';
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { LineState } from './answer-line.ts';
import type { ChatOfSdk, ChatStatus } from './chat.ts';
import { createFrame } from './frame.ts';
import { createKeep } from './keep.ts';
import type { Feedback, Message } from './message.ts';
import { newId } from './new-id.ts';
import { isOfTheLine, toProblem, type Problem } from './problems.ts';
import type { Running, Saved } from './saved.ts';
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

/** A question that nobody got is not sent by itself any more after this long. */
const longestQueuedMs = 600_000;

export function createLive(
  { settings, isAllowed, storage, onSaved, onDeleted }: LiveParts,
  saved: Saved | undefined,
): Live {
  const id = saved?.id ?? newId();
  const messages = signal<Message[]>(saved?.messages ?? []);
  const status = signal<ChatStatus>('ready');
  const problem = signal<Problem | undefined>(undefined);
  const line = signal<LineState>('ok');
  const isBusy = computed(() => status.value !== 'ready');
  const gone = new AbortController();
  let chat: ChatOfSdk | undefined;
  /** Asked, and on the screen, but not with the chat yet. */
  let early: Message | undefined;
  /** Wanted, and not handed to the chat yet. */
  let isWanted = false;
  /** Wanted, and the chat, which takes a moment for it, does not say so yet. */
  let isBeginning = false;
  let startedAt = 0;

  /** What a page that comes after this one, or another tab, can go on with. */
  const runningNow = (): Running | undefined => {
    const isOpen = isBusy.value || (problem.value && isOfTheLine(problem.value));
    // What has not been sent has no name to the service.
    return isOpen && chat && !early && !isWanted ? { ...chat.running(), startedAt } : undefined;
  };

  /** What another tab asked in this conversation meanwhile stays its own to end. */
  const runningElsewhere = (stored: Saved | undefined): Running | undefined =>
    stored?.running?.chatId === chat?.running().chatId ? undefined : stored?.running;

  const keep = createKeep({
    id,
    saved,
    storage,
    messages,
    isBusy,
    onMerged: (merged) => chat?.setMessages(merged),
    // While the answer runs, and after it broke off.
    isPart: () => isBusy.value || Boolean(chat?.error()),
    running: (stored) => runningNow() ?? runningElsewhere(stored),
    onSaved,
    onDeleted,
    gone: gone.signal,
  });
  const { save, withOthers } = keep;

  const update = () => {
    if (!chat) return;
    const wasBusy = isBusy.value;
    keep.change();
    messages.value = early ? [...chat.messages(), early] : chat.messages();
    const now = chat.status();
    if (now !== 'ready') isBeginning = false;
    status.value = early || isBeginning ? 'waiting' : now;
    if (wasBusy && !isBusy.value) {
      keep.change(true);
      save();
    } else keep.saveSoon();
  };
  const frame = createFrame(update);

  const fail = (error: unknown) => {
    const last = messages.value.at(-1);
    const hasPart = last?.role === 'assistant' && last.text !== '';
    const found = toProblem(error, { isOnline: navigator.onLine, hasPart, now: Date.now() });
    problem.value = found;
    if (found.forOwner) warn(found.forOwner);
    keep.change();
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
      threadId: keep.threadId,
      onThread: keep.setThreadId,
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
    isWanted = true;
    isBeginning = true;
    status.value = 'waiting';
    startedAt = since;
    keep.change(true);
    try {
      const ready = await withChat();
      // First the question is on the screen, then it is sent, then it is stored: each in a task of its
      // own, as all of it together would hold up a slow telephone.
      await turn();
      if (gone.signal.aborted) return;
      const working = work(ready);
      isWanted = false;
      frame.flush();
      // Other tabs see the question at once; a page that is left before saves it by itself.
      keep.saveNext();
      await working;
      isBeginning = false;
      frame.flush();
      if (ready.error()) fail(ready.error());
    } catch (error) {
      isWanted = false;
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
    threadId: keep.threadId,
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
      keep.change();
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
      frame.cancel();
      void chat?.dispose();
    },
  };
  follow(saved?.running);
  return live;
}
