/**
 * The conversation of one site, kept across pages and reloads. Nothing is written before the first
 * question. Never throws: where storage is denied, full or broken, the conversation lives in memory.
 */
import { isMessage, isRecord, type Message } from './message.ts';
import { openMark } from './panel-contract.ts';

export interface Saved {
  /** Names this reader to the service; random, made at the first question. */
  fp: string;
  threadId: string | undefined;
  messages: Message[];
}

const version = 1;
const mostMessages = 60;

function read(site: string): Saved | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(`docent:${site}`) ?? 'null');
    if (!isRecord(value) || value['version'] !== version) return undefined;
    const { fp, threadId, messages } = value;
    if (typeof fp !== 'string' || !fp || !Array.isArray(messages)) return undefined;
    return {
      fp,
      threadId: typeof threadId === 'string' ? threadId : undefined,
      messages: messages.every(isMessage) ? messages : [],
    };
  } catch {
    return undefined; // Denied or not JSON.
  }
}

function write(site: string, saved: Saved): boolean {
  try {
    localStorage.setItem(`docent:${site}`, JSON.stringify({ version, ...saved }));
    return true;
  } catch {
    return false;
  }
}

export function createStorage(site: string) {
  return {
    load: () => read(site),
    save(saved: Saved): void {
      const messages = saved.messages.slice(-mostMessages);
      // Full: the last turns are worth more than the first.
      if (!write(site, { ...saved, messages })) {
        write(site, { ...saved, messages: messages.slice(-4) });
      }
    },
    markOpen(isOpen: boolean): void {
      try {
        if (isOpen) sessionStorage.setItem(openMark(site), '1');
        else sessionStorage.removeItem(openMark(site));
      } catch {
        // Denied: after a navigation the panel starts closed.
      }
    },
  };
}

export type Storage = ReturnType<typeof createStorage>;
