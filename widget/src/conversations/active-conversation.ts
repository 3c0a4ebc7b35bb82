/** A conversation that is open or being answered. */
import type { ContextItem } from '@docent/shared/assistant';
import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import { AnswerError } from '../chat/answer-error.ts';
import { type ConnectionState, readAnswer } from '../chat/connection.ts';
import { applyPart, emptyAnswer } from '../chat/reducer.ts';
import { createAnswerRequests, type Question } from '../chat/request.ts';
import { createRenderScheduler } from '../chat/render-scheduler.ts';
import { createPersistence } from './persistence.ts';
import type { Feedback, Message } from '../chat/message.ts';
import { newId } from './new-id.ts';
import { isConnectionProblem, toProblem, type Problem } from '../chat/problems.ts';
import type { Running, Saved } from './saved.ts';
import type { Service } from '../chat/service.ts';
import type { Settings } from '../loader/settings.ts';
import type { Storage } from './storage.ts';
import { warn } from '../loader/warn.ts';

export type AnswerState =
  /** Nothing is running. After a stop, the message says so. */
  | { name: 'ready' }
  /** The question was asked, and nothing of the answer has arrived. */
  | { name: 'waiting'; connection: ConnectionState }
  | { name: 'streaming'; connection: ConnectionState }
  | { name: 'failed'; problem: Problem };

export type ActiveConversation = ReturnType<typeof createActiveConversation>;

export interface ConversationDeps {
  settings: ReadonlySignal<Settings>;
  service: Service;
  /** The reader has given consent. */
  isAllowed: ReadonlySignal<boolean>;
  storage: Storage;
}

interface ActiveConversationDeps extends ConversationDeps {
  onSaved: () => void;
  /** It was deleted in another tab. */
  onDeleted: () => void;
}

type Ask = Pick<Question, 'trigger' | 'messageId'> | 'resume';

/** After this time, don't send a question that the service never received. */
const maxQueuedMs = 600_000;

export function createActiveConversation(
  { settings, service, isAllowed, storage, onSaved, onDeleted }: ActiveConversationDeps,
  saved: Saved | undefined,
) {
  const id = saved?.id ?? newId();
  const messages = signal<Message[]>(saved?.messages ?? []);
  const state = signal<AnswerState>({ name: 'ready' });
  const isBusy = computed(() => /waiting|streaming/.test(state.value.name));
  const problem = computed(() => (state.value.name === 'failed' ? state.value.problem : undefined));
  const connection = computed(() => ('connection' in state.value ? state.value.connection : 'ok'));
  const gone = new AbortController();
  /** The IDs of the newest answer, with which another tab or page can continue. */
  let running: Running | undefined;
  /** The answer so far. */
  let answer: Message | undefined;
  let reading = new AbortController();
  /** The service is storing an answer that the reader stopped. The next question builds on it. */
  let stopping: Promise<void> | undefined;

  const persistence = createPersistence({
    id,
    saved,
    storage,
    messages,
    isBusy,
    isIncomplete: () => state.value.name !== 'ready',
    running(stored) {
      const isOpen = isBusy.value || (problem.value && isConnectionProblem(problem.value));
      if (isOpen) return running;
      // Keep the running answer of another tab.
      return stored?.running?.questionId === running?.questionId ? undefined : stored?.running;
    },
    onSaved,
    onDeleted,
    gone: gone.signal,
  });
  const requests = createAnswerRequests({
    service,
    filter: () => settings.peek().filter,
    fp: () => storage.needFp(),
    threadId: persistence.threadId,
    onThread: persistence.setThreadId,
  });

  /** Adds the answer so far to the conversation. */
  const show = () => {
    if (!answer) return;
    const last = messages.value.at(-1);
    const before = last?.role === 'assistant' ? messages.value.slice(0, -1) : messages.value;
    // An answer that is read again must not shrink on the screen.
    const isShown = last?.id === answer.id && last.text.startsWith(answer.text);
    const text = isShown && isBusy.value ? last.text : answer.text;
    persistence.change();
    messages.value = [...before, { ...answer, text }];
  };
  const scheduler = createRenderScheduler(() => {
    show();
    persistence.saveSoon();
  });

  /** Ends the answer. Messages and state change together. */
  const end = (next: AnswerState, ended?: Message['ended']) => {
    scheduler.cancel();
    if (answer && ended) answer = { ...answer, ended };
    batch(() => {
      state.value = next;
      show();
    });
    // From here on, only others change the message.
    answer = undefined;
    persistence.change(next.name === 'ready');
    persistence.save();
  };
  const fail = (error: unknown) => {
    const found = toProblem(error, { isOnline: navigator.onLine, now: Date.now() });
    if (found.forOwner) warn(found.forOwner);
    end({ name: 'failed', problem: found });
  };

  /** Asks, and reads the answer to its end. */
  const run = async (ask: Ask, as?: Running): Promise<void> => {
    const asked: Running = as ?? {
      questionId: newId(),
      messageId: undefined,
      startedAt: Date.now(),
    };
    const { signal: stopped } = (reading = new AbortController());
    running = asked;
    answer = undefined;
    state.value = { name: 'waiting', connection: 'ok' };
    persistence.change(true);
    // Draw the question, then send it, then store it: a single task would block a slow phone.
    await new Promise((resolve) => setTimeout(resolve));
    await stopping;
    if (stopped.aborted) return;
    persistence.saveNext();
    try {
      const parts = readAnswer({
        connect: ({ messageId, parts: skip }, signal) =>
          ask === 'resume' || messageId
            ? requests.resume(messageId ?? asked.messageId ?? asked.questionId, skip, signal)
            : requests.ask(
                { ...ask, questionId: asked.questionId, messages: messages.value },
                signal,
              ),
        signal: stopped,
        isRunning: ask === 'resume',
        onState(next) {
          const { name } = state.value;
          if (name !== 'waiting' && name !== 'streaming') return;
          if (next !== connection.value) state.value = { name, connection: next };
        },
      });
      for await (const part of parts) {
        if (part.type === 'error') throw new AnswerError('failed', part.errorText);
        answer = applyPart(answer ?? emptyAnswer(newId()), part);
        if (part.type === 'start') running = { ...asked, messageId: part.messageId };
        if (state.value.name === 'waiting') state.value = { name: 'streaming', connection: 'ok' };
        scheduler.request();
      }
      end({ name: 'ready' });
    } catch (error) {
      if (stopped.aborted) return;
      const last = messages.value.at(-1);
      const isGone = error instanceof AnswerError && error.reason === 'gone';
      // The service never received the question, so send it with the same ID.
      if (ask === 'resume' && isGone && !asked.messageId && last?.role === 'user')
        await run({ trigger: 'submit-message', messageId: last.id }, asked);
      else fail(error);
    }
  };

  const leaving = () => {
    scheduler.flush();
    persistence.save();
  };
  addEventListener('pagehide', leaving, { signal: gone.signal });
  const onOnline = () =>
    problem.value && isConnectionProblem(problem.value) && conversation.retry();
  addEventListener('online', onOnline, { signal: gone.signal });
  // A hidden tab doesn't read along, because browsers allow few connections to one host.
  const onLook = () => document.hidden || conversation.adopt();
  document.addEventListener('visibilitychange', onLook, { signal: gone.signal });

  let resumed: string | undefined;
  /** Continues reading an answer that another page or tab asked for. */
  const resume = (other: Running | undefined) => {
    if (!other || !isAllowed.peek()) return;
    if (other.questionId === resumed || other.questionId === running?.questionId) return;
    const isStale = Date.now() - other.startedAt > maxQueuedMs;
    if (isStale && !other.messageId) return;
    resumed = other.questionId;
    void run('resume', other);
  };

  const conversation = {
    id,
    threadId: persistence.threadId,
    messages,
    state,
    isBusy,
    problem,
    connection,
    ask(text: string, context: ContextItem[]): void {
      if (isBusy.value) return;
      persistence.mergeOtherTabs();
      const question: Message = { id: newId(), role: 'user', text, context, sources: [] };
      messages.value = [...messages.value, question];
      void run({ trigger: 'submit-message' });
    },
    /** Replaces this question and everything after it, also an answer that is running. */
    edit(messageId: string, text: string, context: ContextItem[]): void {
      conversation.stop();
      persistence.mergeOtherTabs();
      const at = messages.value.findIndex((message) => message.id === messageId);
      const question = messages.value[at];
      if (!question) return;
      messages.value = [...messages.value.slice(0, at), { ...question, text, context }];
      void run({ trigger: 'submit-message', messageId });
    },
    /** Replaces the last answer, or asks the last question that has none. */
    retry(): void {
      const last = messages.value.at(-1);
      if (isBusy.value || !last) return;
      // If only the connection failed, the answer may exist, so read it instead of asking again.
      if (problem.value && isConnectionProblem(problem.value)) return void run('resume', running);
      const isAnswered = last.role === 'assistant';
      if (isAnswered) messages.value = messages.value.slice(0, -1);
      const trigger = isAnswered ? 'regenerate-message' : 'submit-message';
      void run({ trigger, messageId: last.id });
    },
    stop(): void {
      if (!isBusy.value || !running) return;
      stopping = requests.stop(running.messageId ?? running.questionId).then(() => {
        persistence.change();
        persistence.save();
      });
      reading.abort();
      end({ name: 'ready' }, 'stopped');
    },
    setFeedback(messageId: string, feedback: Feedback | undefined): void {
      persistence.change();
      messages.value = messages.value.map((message) =>
        message.id === messageId ? { ...message, feedback } : message,
      );
      persistence.save();
    },
    save: persistence.save,
    /** Another tab has saved this conversation. */
    adopt(): void {
      if (isBusy.value) return;
      persistence.mergeOtherTabs();
      if (!document.hidden) resume(storage.load(id)?.running);
    },
    /** With `isGone`, the conversation was deleted and isn't saved again. */
    dispose(isGone = false): void {
      if (!isGone) persistence.save();
      gone.abort();
      reading.abort();
      scheduler.cancel();
    },
  };
  resume(saved?.running);
  return conversation;
}
