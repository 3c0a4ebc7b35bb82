/** A progress bar on a terminal, or one line at the end in a log. */
export interface Progress {
  update(done: number, total: number): void;
  /** Replaces the bar with the sentence. */
  finish(sentence: string): void;
}

const width = 24;

export function createProgress(label: string, say: (line: string) => void): Progress {
  const out = process.stdout;
  const isLive = out.isTTY && say === console.log;
  return {
    update(done, total) {
      if (!isLive) return;
      const full = total === 0 ? width : Math.round((done / total) * width);
      out.write(
        `\r\u001b[2K  ${label} ${'━'.repeat(full)}${'─'.repeat(width - full)} ${done}/${total}`,
      );
    },
    finish(sentence) {
      if (isLive) out.write('\r\u001b[2K');
      say(`  ${sentence}`);
    },
  };
}
