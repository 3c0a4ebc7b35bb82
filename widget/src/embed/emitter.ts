/** The owner's event handlers. Their errors go to the console. */
import type { DocentWidget } from './api.ts';
import type { Emit } from './events.ts';
import { warn } from '../loader/warn.ts';

const names = /^(open|close|question|answer|error|feedback|source|stop|copy|hide)$/;

export function createEmitter(): Pick<DocentWidget, 'on' | 'off'> & { emit: Emit } {
  const handlers = new Map<string, Set<(event: never) => void>>();
  return {
    on(name, handler) {
      if (!names.test(name) || typeof handler !== 'function') {
        return warn(`on: write Docent('on', 'answer', (event) => …).`);
      }
      handlers.set(name, (handlers.get(name) ?? new Set()).add(handler));
    },
    off(name, handler) {
      if (handler) handlers.get(name)?.delete(handler);
      else handlers.delete(name);
    },
    emit(name, event) {
      for (const handler of new Set(handlers.get(name))) {
        try {
          handler(event as never);
        } catch (error) {
          warn(`handler of '${name}': ${String(error)}`);
        }
      }
    },
  };
}
