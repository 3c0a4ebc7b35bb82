import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { digestOf } from '../vectors.ts';
import { openKeptVectors } from './kept-vectors.ts';

const dimensions = 4;
const embedder = { source: { model: 'm', dimensions, queryPrefix: '', passagePrefix: '' } };
const vector = (text: string) => ({ key: digestOf(text), bytes: Int8Array.of(1, -2, 3, 127) });

test('vectors are found by the next run, also behind one that was cut short', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'docent-'));
  try {
    const first = await openKeptVectors(folder, embedder);
    await first.add([vector('a'), vector('b')]);
    const [name = ''] = await readdir(folder);
    // The disk was full, or the process was killed.
    await appendFile(join(folder, name), 'half of a key');
    const second = await openKeptVectors(folder, embedder);
    expect(second.known).toEqual(new Map([vector('a'), vector('b')].map((o) => [o.key, o.bytes])));
    await second.add([vector('c')]);
    const third = await openKeptVectors(folder, embedder);
    expect([...third.known.keys()]).toEqual(['a', 'b', 'c'].map(digestOf));
    await third.remove();
    expect(await readdir(folder)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
