import { EventEmitter } from 'node:events';
import type { Logger } from '../log.ts';

/**
 * Words between the parts of the service, in this process and, where the database is shared, in all of
 * them. A word may get lost while a connection is; what must not get lost is a row, and the word only
 * says that there is something to read.
 */
export interface Bus {
  /** Listeners of this process hear it before this returns. It settles when the others have been told; it never rejects. */
  publish(channel: string, payload: string): Promise<void>;
  /** Gives back what ends the subscription. */
  subscribe(channel: string, listener: (payload: string) => void): () => void;
  /** Called when words of other processes may have been missed: time to look at the rows. */
  onGap(listener: () => void): () => void;
  /** Begins to hear other processes. The command line only speaks. */
  listen(): Promise<void>;
}

/** The bus of a process that is alone. */
export function createLocalBus(log: Pick<Logger, 'warn'>): Bus {
  const { deliver, subscribe, onGap } = createDelivery(log);
  return {
    async publish(channel, payload) {
      deliver(channel, payload);
    },
    subscribe,
    onGap,
    async listen() {},
  };
}

/** Who listens in this process. */
export function createDelivery(log: Pick<Logger, 'warn'>) {
  const channels = new EventEmitter().setMaxListeners(0);
  const gaps = new EventEmitter().setMaxListeners(0);

  function add<Value>(emitter: EventEmitter, name: string, listener: (value: Value) => void) {
    const guarded = (value: Value) => {
      try {
        listener(value);
      } catch (err) {
        // One listener's fault is not the others', and not the speaker's.
        log.warn({ err, channel: name }, 'a listener of the bus failed');
      }
    };
    emitter.on(name, guarded);
    return () => void emitter.off(name, guarded);
  }

  return {
    // A name of our own in front: an emitter treats `error` in a way of its own.
    deliver: (channel: string, payload: string) => void channels.emit(`on ${channel}`, payload),
    subscribe: (channel: string, listener: (payload: string) => void) =>
      add(channels, `on ${channel}`, listener),
    gap: () => void gaps.emit('gap'),
    onGap: (listener: () => void) => add(gaps, 'gap', listener),
  };
}
