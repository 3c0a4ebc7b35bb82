import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { digestOf } from '../vectors.ts';
import { openKeptVectors } from './kept-vectors.ts';

const dimensions = 4;
const embedder = { source: { model: 'm', dimensions, queryPrefix: '', passagePrefix: '' } };
const vector = (text: string) => ({ key: digestOf(text), bytes: Int8Array.of(1, -2, 3, 127) });

test('vectors are written into room that was taken before, and found by the next run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'docent-'));
  const sizes = async () =>
    Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  try {
    const first = await openKeptVectors(folder, embedder);
    await first.reserve(1500);
    const taken = await sizes();
    expect(taken).toEqual([1500 * (22 + dimensions)]);
    await first.add([vector('a'), vector('b')]);
    const second = await openKeptVectors(folder, embedder);
    expect(second.known).toEqual(new Map([vector('a'), vector('b')].map((o) => [o.key, o.bytes])));
    await second.reserve(1498);
    await second.add([vector('c')]);
    expect(await sizes()).toEqual(taken);
    const third = await openKeptVectors(folder, embedder);
    expect([...third.known.keys()]).toEqual(['a', 'b', 'c'].map(digestOf));
    await third.remove();
    expect(await sizes()).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
