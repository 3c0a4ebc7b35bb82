/**
 * A reader's conversations: the current one, those being answered in the background, and the list.
 */
import type { ContextItem } from '@docent/shared/assistant';
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import {
  type ActiveConversation,
  type ConversationDeps,
  createActiveConversation,
} from './active-conversation.ts';
import type { Feedback, Message } from '../chat/message.ts';
import type { Saved, Summary } from './saved.ts';

export type Session = ReturnType<typeof createSession>;

export function createSession(deps: ConversationDeps) {
  const { storage } = deps;
  const conversations = signal<Summary[]>(storage.list());
  const gone = new AbortController();
  /** The current conversation, and those still being answered in the background. */
  const active = signal<ActiveConversation[]>([]);

  const refresh = () => {
    const list = storage.list();
    if (JSON.stringify(list) !== JSON.stringify(conversations.peek())) conversations.value = list;
  };

  function start(saved: Saved | undefined): ActiveConversation {
    const conversation = createActiveConversation(
      {
        ...deps,
        onSaved() {
          if (conversation === current.peek()) storage.markCurrent(conversation.id);
          refresh();
          releaseIdle();
        },
        onDeleted: () => drop(conversation.id),
      },
      saved,
    );
    active.value = [...active.peek(), conversation];
    return conversation;
  }

  /** Closes conversations in the background whose answers are complete and saved. */
  function releaseIdle(): void {
    for (const conversation of active.peek()) {
      if (conversation === current.peek() || conversation.isBusy.peek()) continue;
      active.value = active.peek().filter((each) => each !== conversation);
      conversation.dispose();
    }
  }

  function show(conversation: ActiveConversation): void {
    current.value = conversation;
    storage.markCurrent(conversation.messages.peek().length ? conversation.id : undefined);
    releaseIdle();
  }

  /** It was deleted, here or in another tab. */
  function drop(id: string): void {
    const conversation = active.peek().find((each) => each.id === id);
    if (!conversation) return;
    active.value = active.peek().filter((each) => each !== conversation);
    conversation.stop();
    conversation.dispose(true);
    if (conversation === current.peek()) show(start(undefined));
  }

  const current = signal(start(storage.loadCurrent()));

  storage.onChange((id) => {
    refresh();
    for (const conversation of active.peek()) {
      if (conversation.id === id) conversation.adopt();
      else if (!id && storage.isDeleted(conversation.id)) drop(conversation.id);
    }
  }, gone.signal);

  const messages = computed(() => current.value.messages.value);
  const isBusy = computed(() => current.value.isBusy.value);
  return {
    id: computed(() => current.value.id),
    threadId: () => current.peek().threadId(),
    messages,
    /** The messages, unchanged while only the text of an answer grows. */
    outline: createOutline(messages, isBusy),
    state: computed(() => current.value.state.value),
    isBusy,
    /** A signal of its own, because `messages` changes with every word. */
    isEmpty: computed(() => messages.value.length === 0),
    problem: computed(() => current.value.problem.value),
    connection: computed(() => current.value.connection.value),
    ask: (text: string, context: ContextItem[]) => current.peek().ask(text, context),
    edit: (messageId: string, text: string, context: ContextItem[]) =>
      current.peek().edit(messageId, text, context),
    retry: () => current.peek().retry(),
    stop: () => current.peek().stop(),
    setFeedback: (messageId: string, feedback: Feedback | undefined) =>
      current.peek().setFeedback(messageId, feedback),
    /** Starts a new conversation, and stops the answer of this one. */
    clear() {
      if (!current.peek().messages.peek().length) return;
      current.peek().stop();
      show(start(undefined));
    },
    /** Newest first. */
    conversations,
    /** The conversations that are being answered in this tab. */
    answering: computed(
      () => new Set(active.value.flatMap(({ id, isBusy }) => (isBusy.value ? [id] : []))),
    ),
    open(id: string) {
      if (id === current.peek().id) return;
      const conversation = active.peek().find((each) => each.id === id);
      const saved = conversation ? undefined : storage.load(id);
      if (conversation || saved) show(conversation ?? start(saved));
      else refresh();
    },
    rename(id: string, title: string) {
      storage.rename(id, title);
      refresh();
    },
    /** Deletes conversations and returns the undo. deletions.ts tells the service. */
    remove(ids: readonly string[]) {
      const shown = current.peek().id;
      for (const conversation of active.peek()) {
        if (!ids.includes(conversation.id)) continue;
        conversation.stop();
        conversation.save();
      }
      const removed = storage.remove(ids);
      for (const id of ids) drop(id);
      refresh();
      return () => {
        storage.restore(removed);
        refresh();
        const back = removed.find(({ id }) => id === shown);
        if (back && !current.peek().messages.peek().length) show(start(back));
      };
    },
    dispose() {
      gone.abort();
      for (const conversation of active.peek()) conversation.dispose();
    },
  };
}

function isSame(one: Message | undefined, other: Message | undefined): boolean {
  return (
    one?.id === other?.id &&
    one?.ended === other?.ended &&
    one?.feedback === other?.feedback &&
    one?.sources.length === other?.sources.length &&
    one?.suggestions?.length === other?.suggestions?.length &&
    (one?.text === '') === (other?.text === '')
  );
}

/** The messages, but the same list while only the text of the last answer grows. */
function createOutline(
  messages: ReadonlySignal<Message[]>,
  isBusy: ReadonlySignal<boolean>,
): ReadonlySignal<Message[]> {
  let kept: Message[] = [];
  return computed(() => {
    const next = messages.value;
    const end = next.length - 1;
    const isGrowing =
      isBusy.value &&
      next.length === kept.length &&
      next[end]?.role === 'assistant' &&
      next.every((message, index) => message === kept[index] || index === end) &&
      isSame(next[end], kept[end]);
    return isGrowing ? kept : (kept = next);
  });
}
