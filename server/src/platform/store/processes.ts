import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { newId } from '../ids.ts';
import type { Logger } from '../log.ts';
import { createLoop } from '../loop.ts';
import type { Store } from './database.ts';
import { createLease } from './lease.ts';

const renewMs = 2_000;
/** A process that was silent for this long counts as dead. */
const leaseSeconds = 10;
const keptSeconds = 100;

export type Processes = Awaited<ReturnType<typeof registerProcess>>;

/**
 * The server processes on this database. Each renews a row, so that the others notice when it dies and
 * end what it left running.
 */
export async function registerProcess(deps: {
  store: Pick<Store, 'database' | 'isShared' | 'clock'>;
  log: Pick<Logger, 'warn'>;
}) {
  const { store, log } = deps;
  const { database, isShared } = store;
  const id = newId();
  const name = `${hostname()} ${process.pid}`;
  const lease = createLease(store, leaseSeconds);
  const sweepers: (() => Promise<unknown>)[] = [];
  let renewedAt = performance.now();
  const loop = createLoop({
    work,
    everyMs: renewMs,
    onError: (err) => log.warn({ err }, 'the row of this process was not renewed'),
  });

  // A data folder has one server, so all other rows are of dead processes.
  if (!isShared) await database.deleteFrom('processes').execute();
  await renew();

  async function renew(): Promise<void> {
    await database
      .insertInto('processes')
      .values({ id, name, started_at: store.clock(), ...lease.renew() })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(lease.renew()))
      .execute();
  }

  /**
   * After a pause (the database was away, the machine slept), the other processes may be late too. They
   * get the time to renew their rows before they count as dead.
   */
  async function work(): Promise<void> {
    const sinceMs = performance.now() - renewedAt;
    await renew();
    renewedAt = performance.now();
    if (sinceMs > (leaseSeconds * 1000) / 2) return;
    await sweep();
  }

  async function sweep(): Promise<void> {
    for (const each of sweepers) await each();
    await database
      .deleteFrom('processes')
      .where('lease_until', '<', store.clock(-keptSeconds))
      .execute();
  }

  return {
    id,

    /** Ids of the living processes, including this one: for `where('owner', 'not in', …)`. */
    living() {
      const all = database.selectFrom('processes').select('id');
      return isShared ? all.where(lease.isHeld('processes')) : all;
    },

    /** Runs `end` now and from time to time. It must end what dead processes left. */
    async whenOthersDie(end: () => Promise<unknown>): Promise<void> {
      await end();
      sweepers.push(end);
      if (isShared) loop.start();
    },

    /** Call it in a clean stop, when nothing is left running. */
    async leave(): Promise<void> {
      await loop.stop();
      await database.deleteFrom('processes').where('id', '=', id).execute();
    },
  };
}

/** A name for this process, by which another one on the same machine can tell that it's gone. */

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
