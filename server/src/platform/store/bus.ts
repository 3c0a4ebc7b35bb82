import { EventEmitter } from 'node:events';
import type { Logger } from '../log.ts';

/**
 * Short messages in this process and, with a shared database, in all processes. A message can get lost
 * with a connection. What must not get lost is a row, and the message only says that there is something
 * to read.
 */
export interface Bus {
  /** Calls the listeners of this process before it returns. Settles when the other processes are told. Never rejects. The payload has at most 7,000 bytes. */
  publish(channel: string, payload: string): Promise<void>;
  /** Returns a function that ends the subscription. */
  subscribe(channel: string, listener: (payload: string) => void): () => void;
  /** Called when messages of other processes may be lost. Read the rows then. */
  onGap(listener: () => void): () => void;
  /** Starts to receive messages of other processes. Commands only send. */
  listen(): Promise<void>;
}

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

export function createDelivery(log: Pick<Logger, 'warn'>) {
  const channels = new EventEmitter().setMaxListeners(0);
  const gaps = new EventEmitter().setMaxListeners(0);

  function add<Value>(emitter: EventEmitter, name: string, listener: (value: Value) => void) {
    const guarded = (value: Value) => {
      try {
        listener(value);
      } catch (err) {
        // A listener that fails affects neither the others nor the sender.
        log.warn({ err, channel: name }, 'a listener of the bus failed');
      }
    };
    emitter.on(name, guarded);
    return () => void emitter.off(name, guarded);
  }

  return {
    // The prefix keeps a channel from being named `error`, which an emitter treats differently.
    deliver: (channel: string, payload: string) => void channels.emit(`on ${channel}`, payload),
    subscribe: (channel: string, listener: (payload: string) => void) =>
      add(channels, `on ${channel}`, listener),
    gap: () => void gaps.emit('gap'),
    onGap: (listener: () => void) => add(gaps, 'gap', listener),
  };
}
