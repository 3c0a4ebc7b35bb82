import { expect, test } from 'vitest';
import { mapLimited } from './map-limited.ts';

test('so many at the same time, with results in order', async () => {
  const open: (() => void)[] = [];
  const mapped = mapLimited([1, 2, 3, 4], 2, async (number) => {
    await new Promise<void>((resolve) => open.push(resolve));
    return number * 10;
  });
  await expect.poll(() => open.length).toBe(2);
  // The later one ends first.
  open[1]?.();
  await expect.poll(() => open.length).toBe(3);
  open[0]?.();
  await expect.poll(() => open.length).toBe(4);
  for (const each of open) each();
  expect(await mapped).toEqual([10, 20, 30, 40]);
});

test('after a failure, no other begins', async () => {
  const begun: number[] = [];
  const mapped = mapLimited([1, 2, 3], 1, async (number) => {
    begun.push(number);
    if (number === 2) throw new Error('two');
  });
  await expect(mapped).rejects.toThrow('two');
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual([1, 2]);
});
