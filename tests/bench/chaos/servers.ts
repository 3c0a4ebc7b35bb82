/** The servers of one run: killed, stopped and started again, and asked until one of them answers. */
import { setTimeout as pause } from 'node:timers/promises';
import { serve } from '../../support/cli.ts';

type Server = Awaited<ReturnType<typeof serve>>;

interface Reply {
  status: number;
  body: Record<string, unknown>;
}

const patienceMs = 120_000;

export async function startServers(config: string, env: Record<string, string>, count: number) {
  const slots: { server: Server | undefined; change: Promise<unknown> }[] = [];
  for (let index = 0; index < count; index++) {
    slots.push({ server: await serve(config, { env }), change: Promise.resolve() });
  }
  let turn = 0;
  const errors: string[] = [];

  /** One change of a place after the other; the others go on meanwhile. */
  function replace(index: number, signal: 'SIGKILL' | 'SIGTERM'): void {
    const slot = slots[index];
    if (!slot) return;
    slot.change = slot.change.then(async () => {
      const { server } = slot;
      slot.server = undefined;
      await end(server, signal);
      // A busy machine may be too slow once; that is said, and tried once more.
      const started = await serve(config, { env }).catch((error: unknown) => {
        errors.push(`a server did not start: ${String(error)}`);
        return serve(config, { env });
      });
      // It answers a moment before it hears signals.
      await pause(1_000);
      slot.server = started;
    });
    slot.change.catch((error: unknown) => errors.push(`a server did not start: ${String(error)}`));
  }

  async function end(server: Server | undefined, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (!server) return;
    const { code, signal: by } = await server.kill(signal);
    if (signal === 'SIGTERM' && code !== 0) errors.push(`a stop ended with ${code ?? by}`);
    for (const line of server.output.stderr.split('\n')) {
      if (/"level":(50|60|"error"|"fatal")/.test(line)) errors.push(`log: ${line}`);
    }
  }

  return {
    errors,
    replace,
    /** Sends it until there is an answer. What changes something needs a key that makes it safe to repeat. */
    async ask(path: string, init: RequestInit = {}): Promise<Reply> {
      const giveUp = Date.now() + patienceMs;
      for (;;) {
        const url = slots[turn++ % slots.length]?.server?.url;
        try {
          if (url === undefined) throw new Error('It is away.');
          const response = await fetch(url + path, { redirect: 'manual', ...init });
          const text = await response.text();
          if (response.status !== 503) {
            const isJson = response.headers.get('content-type')?.includes('json');
            return {
              status: response.status,
              body: isJson ? (JSON.parse(text) as Reply['body']) : { text },
            };
          }
        } catch {
          // It dies just now; the next one, or the next start, answers.
        }
        if (Date.now() > giveUp) throw new Error(`No server answers ${path}: ${errors.join()}`);
        await pause(50);
      }
    },
    settled: () => Promise.all(slots.map(({ change }) => change)),
    async close(): Promise<void> {
      await Promise.allSettled(slots.map(({ change }) => change));
      for (const { server } of slots) await end(server, 'SIGTERM');
    },
  };
}
