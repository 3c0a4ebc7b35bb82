/**
 * The conversations of one site in the browser's storage. Writes nothing before the first question.
 * Never throws: if storage is denied or full, conversations live in memory.
 */
import { newId } from './new-id.ts';
import { setFlag } from '../loader/flags.ts';
import {
  asTitle,
  type Deleted,
  type Index,
  maxConversations,
  maxMessages,
  readIndex,
  readSaved,
  type Saved,
  type Summary,
  toRow,
  writeIndex,
  writeSaved,
} from './saved.ts';
import { createTextStore } from './text-store.ts';

/** How many deletions to remember, so that another tab can't save a deleted conversation again. */
const maxDeleted = 100;

export function createStorage(site: string) {
  const indexKey = `docent:${site}`;
  const bodyPrefix = `${indexKey}:c:`;
  const bodyKey = (id: string) => bodyPrefix + id;
  /** The conversation that this tab shows. Empty for a new one. */
  const tabKey = `${indexKey}:at`;
  const texts = createTextStore();

  const byTime = (a: Summary, b: Summary) => b.updatedAt - a.updatedAt;

  /** Rebuilds a lost index. */
  function rebuild(): Index {
    const found = texts.keys(bodyPrefix).flatMap((key) => readSaved(texts.get(key)) ?? []);
    return { fp: undefined, conversations: found.map(toRow).sort(byTime), deleted: [] };
  }

  const readAll = (): Index => readIndex(texts.get(indexKey)) ?? rebuild();

  /** `false` if nothing can make room. */
  function dropOldest(keep: string | undefined): boolean {
    const index = readAll();
    // Conversations in memory take no room in storage.
    const oldest = index.conversations.findLast(({ id }) => {
      const key = bodyKey(id);
      return id !== keep && texts.get(key) !== null && !texts.isForNow(key);
    });
    if (!oldest) return false;
    texts.remove(bodyKey(oldest.id));
    const conversations = index.conversations.filter((row) => row !== oldest);
    const text = writeIndex({ ...index, conversations });
    if (!texts.set(indexKey, text)) texts.setForNow(indexKey, text);
    return true;
  }

  /** If storage is full, the oldest conversations make room. What doesn't fit lives in memory. */
  function put(key: string, text: string, keep?: string): boolean {
    let isStored = texts.set(key, text);
    while (!isStored && dropOldest(keep)) isStored = texts.set(key, text);
    if (!isStored) texts.setForNow(key, text);
    return isStored;
  }

  /** Reads what other tabs have written, and writes only changes. */
  function change(work: (index: Index) => Partial<Index>, keep?: string): void {
    for (;;) {
      const before = readAll();
      const index = { ...before, ...work(before) };
      const sorted = [...index.conversations].sort(byTime);
      for (const { id } of sorted.slice(maxConversations)) texts.remove(bodyKey(id));
      const text = writeIndex({
        ...index,
        conversations: sorted.slice(0, maxConversations),
        deleted: index.deleted.slice(-maxDeleted),
      });
      if (text === texts.get(indexKey) || texts.set(indexKey, text)) return;
      if (dropOldest(keep)) continue;
      return texts.setForNow(indexKey, text);
    }
  }

  function tab(work: (area: globalThis.Storage) => string | null | void): string | null {
    try {
      return work(sessionStorage) ?? null;
    } catch {
      return null; // Denied: after a navigation the panel starts closed, with the newest conversation.
    }
  }

  /** The last text of each conversation, parsed. */
  const known = new Map<string, { text: string; saved: Saved | undefined }>();

  /** Returns the same object until a tab writes another one. */
  function load(id: string): Saved | undefined {
    const text = texts.get(bodyKey(id));
    if (text === null) return undefined;
    const before = known.get(id);
    if (before?.text === text) return before.saved;
    const saved = readSaved(text);
    known.set(id, { text, saved });
    return saved;
  }

  function save(saved: Saved): boolean {
    if (readAll().deleted.some(({ id }) => id === saved.id)) return false;
    const kept = { ...saved, messages: saved.messages.slice(-maxMessages) };
    const key = bodyKey(saved.id);
    const text = writeSaved(kept);
    known.set(saved.id, { text, saved: kept });
    if (!put(key, text, saved.id)) {
      // Store at least its last turns for the next page.
      const short = writeSaved({ ...kept, messages: kept.messages.slice(-4) });
      if (texts.set(key, short)) texts.setForNow(key, text);
    }
    change(
      ({ conversations }) => ({
        conversations: [toRow(saved), ...conversations.filter(({ id }) => id !== saved.id)],
      }),
      saved.id,
    );
    return true;
  }

  return {
    fp: (): string | undefined => readAll().fp,
    /** The reader's ID for the service, created if there is none. */
    needFp(): string {
      const known = readAll().fp;
      if (known) return known;
      const fp = newId();
      change(() => ({ fp }));
      return fp;
    },
    list: (): Summary[] => readAll().conversations,
    load,
    /** The conversation that this tab showed last, or the newest one. */
    loadCurrent(): Saved | undefined {
      const id = tab((area) => area.getItem(tabKey));
      if (id === '') return undefined;
      const rows = readAll().conversations;
      const row = rows.find((each) => each.id === id) ?? rows[0];
      return row && load(row.id);
    },
    /** `undefined`: a new conversation. Store nothing before the first question. */
    markCurrent(id: string | undefined): void {
      if (id || readAll().fp) tab((area) => area.setItem(tabKey, id ?? ''));
    },
    /** `false` if another tab has deleted it. */
    save,
    rename(id: string, title: string): void {
      const saved = load(id);
      if (saved) save({ ...saved, title: asTitle(title, saved.messages) });
    },
    /** Returns what was deleted, for `restore`. */
    remove(ids: readonly string[]): Saved[] {
      const removed = ids.flatMap((id) => load(id) ?? []);
      change(({ conversations, deleted }) => ({
        conversations: conversations.filter(({ id }) => !ids.includes(id)),
        deleted: [
          ...deleted,
          ...ids.map((id) => ({
            id,
            threadId: conversations.find((each) => each.id === id)?.threadId,
          })),
        ],
      }));
      for (const id of ids) texts.remove(bodyKey(id));
      return removed;
    },
    restore(conversations: readonly Saved[]): void {
      const isBack = new Set(conversations.map(({ id }) => id));
      change(({ deleted }) => ({ deleted: deleted.filter(({ id }) => !isBack.has(id)) }));
      for (const saved of conversations) save(saved);
    },
    isDeleted: (id: string): boolean => readAll().deleted.some((each) => each.id === id),
    /** Deleted here, but the service doesn't know yet. */
    unsent: (): Deleted[] => readAll().deleted.filter(({ threadId }) => threadId),
    /** The service has deleted it, or never had it. */
    markSent(threadId: string): void {
      change(({ deleted }) => ({
        deleted: deleted.map((each) =>
          each.threadId === threadId ? { ...each, threadId: undefined } : each,
        ),
      }));
    },
    /** Another tab has changed the conversation with this ID, or the list. */
    onChange(listener: (id: string | undefined) => void, signal: AbortSignal): void {
      addEventListener(
        'storage',
        ({ key }) => {
          if (key === null || key === indexKey) listener(undefined);
          else if (key.startsWith(bodyPrefix)) listener(key.slice(bodyPrefix.length));
        },
        { signal },
      );
    },
    markOpen(isOpen: boolean): void {
      setFlag(site, 'open', isOpen, 'sessionStorage');
    },
  };
}

export type Storage = ReturnType<typeof createStorage>;
