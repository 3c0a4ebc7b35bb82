/**
 * Counts the processor seconds of each test file, with those of the processes that it starts. Seconds on a
 * clock depend on what else the machine does; these hardly do. `summary-reporter.ts` prints and keeps them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    processorSeconds?: number;
  }
}

const before = processorSeconds();

// oxlint-disable-next-line no-empty-pattern -- Vitest reads from it that no fixture is wanted
afterAll(({}, file) => {
  file.meta.processorSeconds = processorSeconds() - before;
});

/** Of this process and all below it, alive or ended. Only Linux tells of the others. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  if (process.platform !== 'linux') return own;
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = new Map(processes.flatMap((id) => timesOf(id)).map((each) => [each.id, each]));
  const isBelow = (id: number): boolean =>
    id === process.pid || (found.has(id) && isBelow(found.get(id)?.parent ?? 0));
  let ticks = 0;
  for (const { id, self, ended } of found.values()) {
    if (isBelow(id)) ticks += id === process.pid ? ended : self + ended;
  }
  return own + ticks / 100;
}

function timesOf(id: string): { id: number; parent: number; self: number; ended: number }[] {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    // After the name, which may have spaces and brackets.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, self = 0, selfSystem = 0, ended = 0, endedSystem = 0] = [
      fields[1],
      fields[11],
      fields[12],
      fields[13],
      fields[14],
    ];
    return [{ id: Number(id), parent, self: self + selfSystem, ended: ended + endedSystem }];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}
