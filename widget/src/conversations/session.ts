/** A reader's conversations: the current one, those being answered in the background, and the list. */
import type { ContextItem } from '@docent/shared/assistant';
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { ConnectionState } from '../chat/connection.ts';
import {
  type ActiveConversation,
  type AnswerState,
  createActiveConversation,
} from './active-conversation.ts';
import type { Feedback, Message } from '../chat/message.ts';
import { createOutline } from './outline.ts';
import type { Problem } from '../chat/problems.ts';
import type { Saved, Summary } from './saved.ts';
import type { Service } from '../chat/service.ts';
import type { Settings } from '../loader/settings.ts';
import type { Storage } from './storage.ts';

export interface Session {
  /** The ID of the current conversation, which exists before anything is stored. */
  id: ReadonlySignal<string>;
  /** The service's ID of the conversation, once it has answered. */
  threadId: () => string | undefined;
  messages: ReadonlySignal<Message[]>;
  /** The messages, unchanged while only the text of an answer grows. */
  outline: ReadonlySignal<Message[]>;
  state: ReadonlySignal<AnswerState>;
  isBusy: ReadonlySignal<boolean>;
  /** No question yet. A signal of its own, as `messages` changes with every word. */
  isEmpty: ReadonlySignal<boolean>;
  problem: ReadonlySignal<Problem | undefined>;
  /** The connection of the answer that is being read. */
  connection: ReadonlySignal<ConnectionState>;
  ask: (text: string, context: ContextItem[]) => void;
  /** Replaces this question and everything after it. */
  edit: (questionId: string, text: string, context: ContextItem[]) => void;
  /** Replaces the last answer, or asks the last question that has none. */
  retry: () => void;
  stop: () => void;
  /** Stores the reader's feedback with the answer. */
  setFeedback: (messageId: string, feedback: Feedback | undefined) => void;
  /** Starts a new conversation. A running answer continues in its own conversation. */
  clear: () => void;
  /** All of this reader's conversations, newest first. */
  conversations: ReadonlySignal<Summary[]>;
  /** Those that are being answered in this tab. */
  answering: ReadonlySignal<ReadonlySet<string>>;
  /** Shows another conversation. */
  open: (id: string) => void;
  rename: (id: string, title: string) => void;
  /** Deletes conversations; gives back the undo. The service hears of it from deletions.ts. */
  remove: (ids: readonly string[]) => () => void;
  dispose: () => void;
}

export function createSession(
  settings: ReadonlySignal<Settings>,
  service: Service,
  storage: Storage,
  isAllowed: ReadonlySignal<boolean>,
): Session {
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
        settings,
        service,
        isAllowed,
        storage,
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

  const current = signal<ActiveConversation>(undefined as unknown as ActiveConversation);
  current.value = start(storage.loadCurrent());

  storage.onChange((id) => {
    refresh();
    if (id)
      active
        .peek()
        .find((conversation) => conversation.id === id)
        ?.adopt();
    else {
      for (const conversation of active.peek())
        if (storage.isDeleted(conversation.id)) drop(conversation.id);
    }
  }, gone.signal);

  const messages = computed(() => current.value.messages.value);
  const isBusy = computed(() => current.value.isBusy.value);
  return {
    id: computed(() => current.value.id),
    threadId: () => current.peek().threadId(),
    messages,
    outline: createOutline(messages, isBusy),
    state: computed(() => current.value.state.value),
    isBusy,
    isEmpty: computed(() => current.value.messages.value.length === 0),
    problem: computed(() => current.value.problem.value),
    connection: computed(() => current.value.connection.value),
    ask: (text, context) => current.peek().ask(text, context),
    edit: (questionId, text, context) => current.peek().edit(questionId, text, context),
    retry: () => current.peek().retry(),
    stop: () => current.peek().stop(),
    setFeedback: (messageId, feedback) => current.peek().setFeedback(messageId, feedback),
    clear() {
      if (current.peek().messages.peek().length) show(start(undefined));
    },
    conversations,
    answering: computed(
      () =>
        new Set(
          active.value
            .filter((conversation) => conversation.isBusy.value)
            .map((conversation) => conversation.id),
        ),
    ),
    open(id) {
      if (id === current.peek().id) return;
      const conversation = active.peek().find((each) => each.id === id);
      const saved = conversation ? undefined : storage.load(id);
      if (conversation || saved) show(conversation ?? start(saved));
      else refresh();
    },
    rename(id, title) {
      storage.rename(id, title);
      refresh();
    },
    remove(ids) {
      const shown = current.peek().id;
      for (const conversation of active.peek())
        if (ids.includes(conversation.id)) conversation.save();
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
