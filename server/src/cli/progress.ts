/** What a run has done so far. */
export interface Progress {
  done: number;
  total: number;
  /** What it is at, such as a page's path. */
  at: string;
}

const barWidth = 24;

/** A bar that redraws itself on a terminal; a line at every tenth elsewhere, so that logs stay short. */
export function createProgressBar(label: string, out: NodeJS.WriteStream = process.stderr) {
  let lastTenth = -1;
  return {
    update({ done, total, at }: Progress): void {
      const share = total === 0 ? 1 : done / total;
      if (out.isTTY) {
        const full = Math.round(share * barWidth);
        const bar = '█'.repeat(full) + '░'.repeat(barWidth - full);
        const line = `${label} ${bar} ${done}/${total} ${at}`;
        out.write(`\r\u001b[2K${line.slice(0, out.columns - 1)}`);
        return;
      }
      const tenth = Math.floor(share * 10);
      if (tenth === lastTenth) return;
      lastTenth = tenth;
      out.write(`${label} ${done}/${total}\n`);
    },
    /** Takes the bar away, so that what follows stands in its place. */
    clear(): void {
      if (out.isTTY) out.write('\r\u001b[2K');
    },
  };
}
