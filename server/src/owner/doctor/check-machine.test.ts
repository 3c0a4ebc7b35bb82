import { expect, test } from 'vitest';
import type { Config } from '../../platform/config/schema.ts';
import { checkProxy } from './check-machine.ts';

const findings = (server: Partial<Config['server']>) =>
  checkProxy(server as Config['server']).map(({ text }) => text);

test('a service behind a proxy that nobody told it of', () => {
  const publicUrl = 'https://ask.kestrel.test';
  expect(findings({ publicUrl })).toEqual([expect.stringContaining('server.trustProxy')]);
  expect(findings({ publicUrl, trustProxy: 1 })).toEqual([]);
  expect(findings({})).toEqual([]);
});
