/** Saves a conversation in the browser, merged with the changes of other tabs. */
import type { ReadonlySignal, Signal } from '@preact/signals';
import { mergeMessages } from './merge-messages.ts';
import type { Message } from '../chat/message.ts';
import { maxMessages, type Running, type Saved, titleOf } from './saved.ts';
import type { Storage } from './storage.ts';

interface PersistenceDeps {
  id: string;
  saved: Saved | undefined;
  storage: Storage;
  messages: Signal<Message[]>;
  /** While an answer grows, changes of other tabs are merged in storage only. */
  isBusy: ReadonlySignal<boolean>;
  /** The last answer is incomplete. */
  isIncomplete: () => boolean;
  /** The answer that another page or tab can continue. */
  running: (stored: Saved | undefined) => Running | undefined;
  onSaved: () => void;
  onDeleted: () => void;
  gone: AbortSignal;
}

const saveEveryMs = 1500;

export function createPersistence(deps: PersistenceDeps) {
  const { id, saved, storage, messages, isBusy, gone } = deps;
  const createdAt = saved?.createdAt ?? Date.now();
  /**
   * Unchanged conversations aren't written again, because the reader may have cleared the storage.
   */
  let isChanged = false;
  let updatedAt = saved?.updatedAt ?? createdAt;
  let threadId = saved?.threadId;
  /**
   * The last state that this tab and the storage agreed on. A new object means that another tab
   * wrote.
   */
  let agreed = { stored: saved, messages: saved?.messages ?? [] };
  let saving: ReturnType<typeof setTimeout> | undefined;

  const mergeOtherTabs = (): Message[] => {
    const stored = storage.load(id);
    if (!stored || stored === agreed.stored) return messages.value;
    threadId ??= stored.threadId;
    // Never go back in time, or two tabs would correct each other forever.
    updatedAt = Math.max(updatedAt, stored.updatedAt);
    const mine = messages.value;
    // Old messages that the storage has no room for weren't deleted.
    const isCut = stored.messages.length >= maxMessages;
    const first = isCut ? mine.findIndex((each) => each.id === stored.messages[0]?.id) : 0;
    const merged = [
      ...mine.slice(0, Math.max(0, first)),
      ...mergeMessages(agreed.messages, mine.slice(Math.max(0, first)), stored.messages),
    ];
    if (!isBusy.value) {
      agreed = { stored, messages: merged };
      if (merged.length !== mine.length || merged.some((each, at) => each !== mine[at])) {
        messages.value = merged;
      }
    }
    return merged;
  };

  const save = (): void => {
    clearTimeout(saving);
    saving = undefined;
    if (gone.aborted || !isChanged || !messages.value.length) return;
    isChanged = isBusy.value;
    const stored = storage.load(id);
    const all = mergeOtherTabs();
    const last = messages.value.at(-1);
    const incompleteId = deps.isIncomplete() && last?.role === 'assistant' ? last.id : undefined;
    const kept = all.map((message) =>
      message.id === incompleteId ? { ...message, ended: 'interrupted' as const } : message,
    );
    // The reader's own title, also from another tab.
    const isNamed = stored && stored.title !== titleOf(stored.messages);
    const isSaved = storage.save({
      id,
      threadId,
      title: isNamed ? stored.title : titleOf(all),
      createdAt,
      updatedAt,
      messages: kept,
      running: deps.running(stored),
    });
    if (!isSaved) return deps.onDeleted();
    if (!isBusy.value) agreed = { stored: storage.load(id), messages: all };
    deps.onSaved();
  };
  gone.addEventListener('abort', () => clearTimeout(saving));

  return {
    /** The service's ID of the conversation. */
    threadId: (): string | undefined => threadId,
    setThreadId: (name: string | undefined): void => void (threadId = name),
    /** There is something to save. `isNow`: the reader asked, or the answer ended. */
    change(isNow = false): void {
      isChanged = true;
      if (isNow) updatedAt = Date.now();
    },
    mergeOtherTabs,
    save,
    /** While an answer grows. */
    saveSoon: (): void => void (saving ??= setTimeout(save, saveEveryMs)),
    /** In the next task. */
    saveNext(): void {
      clearTimeout(saving);
      saving = setTimeout(save);
    },
  };
}
