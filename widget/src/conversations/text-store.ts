/** Texts in the browser's storage, or in memory if storage is denied. */
export function createTextStore() {
  const memory = new Map<string, string>();

  return {
    get(key: string): string | null {
      const kept = memory.get(key);
      if (kept !== undefined) return kept;
      try {
        return localStorage.getItem(key);
      } catch {
        return null; // Denied.
      }
    },
    /** `false` if the storage is full or denied. */
    set(key: string, text: string): boolean {
      try {
        localStorage.setItem(key, text);
        memory.delete(key);
        return true;
      } catch {
        return false;
      }
    },
    /** For this page only. Hides what is stored. */
    setForNow(key: string, text: string): void {
      memory.set(key, text);
    },
    isForNow: (key: string): boolean => memory.has(key),
    remove(key: string): void {
      memory.delete(key);
      try {
        localStorage.removeItem(key);
      } catch {
        // Denied, so there is nothing to remove.
      }
    },
    keys(prefix: string): string[] {
      const all = new Set(memory.keys());
      try {
        for (let at = 0; at < localStorage.length; at++) all.add(localStorage.key(at) ?? '');
      } catch {
        // Denied.
      }
      return [...all].filter((key) => key.startsWith(prefix));
    },
  };
}
