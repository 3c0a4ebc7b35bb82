/** A name for this process, by which another one on the same machine can tell that it's gone. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Numbers of processes mean the same to all that share a kernel and its list of processes: containers have their own. */
const machine = fromProc(() => {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
}, hostname);

export const processName = `${machine} ${process.pid} ${startOf(process.pid)}`;

/** Whether that process certainly runs no more. One on another machine may. */
function isGone(name: string): boolean {
  const [where, pid, start] = name.split(' ');
  // A number is given again, so the time of the start counts too.
  return where === machine && startOf(Number(pid)) !== start;
}

/**
 * Whether a lease was left by a process of this machine: killed, it can't release it, and doesn't need it any
 * more. Such an owner is an ID and the name of the process.
 */
export const isLeft = (owner: string | null | undefined): boolean =>
  typeof owner === 'string' && isGone(owner.slice(owner.indexOf(' ') + 1));

/** When a process started; `gone`: it runs no more. Where there is no `/proc`, only its number counts. */
function startOf(pid: number): string {
  return fromProc(
    () => {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      // The name of the program, in parentheses, may contain anything.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : (fields[19] ?? 'gone');
    },
    () => {
      if (process.platform === 'linux') return 'gone';
      try {
        process.kill(pid, 0);
        return 'runs';
      } catch (error) {
        return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'runs' : 'gone';
      }
    },
  );
}

function fromProc(read: () => string, otherwise: () => string): string {
  try {
    return read();
  } catch {
    return otherwise();
  }
}
