import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Makes 60 MB of objects and forgets them. Succeeds once V8 has given their memory back. */
const program = `
  import { saveMemoryWhenIdle } from ${JSON.stringify(new URL('idle-memory.ts', import.meta.url).href)};
  saveMemoryWhenIdle(100);
  let objects = Array.from({ length: 1_000_000 }, (_, at) => ({ at }));
  const before = process.memoryUsage().heapTotal;
  objects = undefined;
  setInterval(() => {
    if (process.memoryUsage().heapTotal < before / 2) process.exit(0);
  }, 200);`;

test('an idle process gives memory back', () => {
  // V8 looks for the first time after two seconds, and then every eight.
  const flags = ['--gc-memory-reducer-start-delay-ms=2000', '--input-type=module'];
  const { status } = spawnSync(process.execPath, [...flags, '-e', program], { timeout: 25_000 });
  expect(status).toBe(0);
});
