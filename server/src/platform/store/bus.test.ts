import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { quiet } from '../../../testing/each-database.ts';
import {
  postgresPrograms,
  startPostgres,
  type TestPostgres,
  whyNoPostgres,
} from '../../../testing/postgres.ts';
import { schema } from '../../open-store.ts';
import { type Bus, createLocalBus } from './bus.ts';
import { openPostgres } from './postgres.ts';

/** The messages of a channel, and a way to wait for them. */
function record(bus: Bus, channel: string) {
  const heard: string[] = [];
  let wake = () => {};
  const end = bus.subscribe(channel, (payload) => {
    heard.push(payload);
    wake();
  });
  return {
    heard,
    end,
    async count(number: number): Promise<string[]> {
      while (heard.length < number) await new Promise<void>((resolve) => (wake = resolve));
      return heard;
    },
  };
}

describe('in one process', () => {
  test('a subscription gets the messages of its channel at once, until it ends', async () => {
    const bus = createLocalBus(quiet);
    const first = record(bus, 'a');
    const second = record(bus, 'a');
    const other = record(bus, 'b');
    void bus.publish('a', '1');
    expect([first.heard, second.heard, other.heard]).toEqual([['1'], ['1'], []]);
    first.end();
    void bus.publish('a', '2');
    expect([first.heard, second.heard]).toEqual([['1'], ['1', '2']]);
  });

  test('a listener that fails affects neither the others nor the sender', async () => {
    const warnings: unknown[] = [];
    const bus = createLocalBus({ warn: (fields: unknown) => void warnings.push(fields) });
    bus.subscribe('error', () => {
      throw new Error('no');
    });
    const good = record(bus, 'error');
    await bus.publish('error', '1');
    expect(good.heard).toEqual(['1']);
    expect(warnings).toHaveLength(1);
  });
});

describe('between processes', () => {
  if (postgresPrograms === undefined) {
    test('the bus', (context) => context.skip(whyNoPostgres));
    return;
  }
  let postgres: TestPostgres;
  let url: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.createDatabase();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  async function open(isListening = true) {
    const store = await openPostgres(schema, url, quiet);
    if (isListening) await store.bus.listen();
    return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
  }

  test('each process gets the messages of the others and its own, once and in order', async () => {
    await using a = await open();
    await using b = await open();
    const atA = record(a.bus, 'x');
    const atB = record(b.bus, 'x');
    const elsewhere = record(b.bus, 'y');
    // Two equal messages are two messages.
    for (const word of ['1', '2', '2', '3']) void a.bus.publish('x', word);
    expect(atA.heard).toEqual(['1', '2', '2', '3']);
    expect(await atB.count(4)).toEqual(['1', '2', '2', '3']);
    await b.bus.publish('x', 'back');
    expect(await atA.count(5)).toEqual(['1', '2', '2', '3', 'back']);
    expect([atA.heard.length, atB.heard.length, elsewhere.heard]).toEqual([5, 5, []]);
  });

  test('a process that only sends reaches the others', async () => {
    await using a = await open();
    await using commandLine = await open(false);
    const atA = record(a.bus, 'x');
    await commandLine.bus.publish('x', 'hello');
    expect(await atA.count(1)).toEqual(['hello']);
  });

  test('a payload may have 7,000 bytes and any character', async () => {
    await using a = await open();
    await using b = await open();
    const atB = record(b.bus, 'x');
    const payloads = ['x'.repeat(7_000), `\0\u0001\n"\\ '; drop table keys; -- \u{1F600}`, ''];
    await Promise.all(payloads.map((payload) => a.bus.publish('x', payload)));
    expect(await atB.count(payloads.length)).toEqual(payloads);
  });

  test('of many messages at once, none is lost and none comes twice', async () => {
    await using a = await open();
    await using b = await open();
    const atB = record(b.bus, 'x');
    const words = Array.from({ length: 2_000 }, (_, index) => String(index));
    await Promise.all(words.map((word) => a.bus.publish('x', word)));
    expect(await atB.count(words.length)).toEqual(words);
  });

  test('a lost connection comes back by itself and reports a gap', async () => {
    await using a = await open();
    await using b = await open();
    const atB = record(b.bus, 'x');
    const gap = new Promise<void>((resolve) => b.bus.onGap(resolve));
    await postgres.query(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'docent bus'`,
    );
    await gap;
    await a.bus.publish('x', 'after');
    expect(await atB.count(1)).toEqual(['after']);
  });

  test('when the database restarts, sending does not reject, and works again afterward', async () => {
    await using a = await open();
    await using b = await open();
    const atB = record(b.bus, 'x');
    const gap = new Promise<void>((resolve) => b.bus.onGap(resolve));
    await postgres.stop();
    await a.bus.publish('x', 'into the void');
    await postgres.startAgain();
    await gap;
    await a.bus.publish('x', 'after');
    expect(await atB.count(1)).toEqual(['after']);
  });
});
