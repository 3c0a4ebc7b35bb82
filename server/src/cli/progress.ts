import type { EmbeddingProgress } from '../retrieval/retriever.ts';
import { plural } from './command.ts';

export interface Progress {
  done: number;
  total: number;
  /** What it is at, such as a page's path. */
  at: string;
}

const barWidth = 24;

/** How often a slow task writes a line, where it isn't a terminal. */
const lineMs = 30_000;

/**
 * A bar that redraws itself on a terminal; a line at every tenth elsewhere, so that logs stay short. A slow
 * task also writes one every half minute, with what it's at.
 */
export function createProgressBar(
  label: string,
  {
    out = process.stderr,
    isSlow = false,
    now = Date.now,
  }: { out?: NodeJS.WriteStream; isSlow?: boolean; now?: () => number } = {},
) {
  let lastTenth = -1;
  let lastLine = now();
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
      if (tenth === lastTenth && !(isSlow && now() - lastLine >= lineMs)) return;
      lastTenth = tenth;
      lastLine = now();
      out.write(`${label} ${done}/${total}${isSlow ? ` ${at}` : ''}\n`);
    },
    /** Takes the bar away, so that what follows stands in its place. */
    clear(): void {
      if (out.isTTY) out.write('\r\u001b[2K');
    },
  };
}

/** "texts, 2.0 per second, about 41 minutes left" */
export function describeSpeed({ done, total, perSecond }: EmbeddingProgress): string {
  if (perSecond === undefined) return 'texts';
  const rate = perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond));
  const seconds = (total - done) / perSecond;
  const left = seconds < 90 ? plural(Math.ceil(seconds), 'second') : minutesOf(seconds);
  return `texts, ${rate} per second${done < total ? `, about ${left} left` : ''}`;
}

function minutesOf(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return plural(minutes, 'minute');
  return `${(seconds / 3600).toFixed(1)} hours`;
}
