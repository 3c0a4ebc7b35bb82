/** Contents that were read last, up to so many bytes together. */
export function createByteCache(maxBytes: number) {
  const kept = new Map<string, Buffer>();
  let total = 0;
  return {
    get(key: string): Buffer | undefined {
      const bytes = kept.get(key);
      if (bytes) {
        kept.delete(key);
        kept.set(key, bytes);
      }
      return bytes;
    },
    set(key: string, bytes: Buffer): void {
      // One large file would push out everything else.
      if (bytes.length * 4 > maxBytes || kept.has(key)) return;
      kept.set(key, bytes);
      total += bytes.length;
      for (const [oldest, { length }] of kept) {
        if (total <= maxBytes) break;
        kept.delete(oldest);
        total -= length;
      }
    },
  };
}
