import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase } from '../../../testing/each-database.ts';
import { createAudit } from '../../notify/audit/audit.ts';
import type { Store } from '../../platform/store/database.ts';
import { createKeys, type Keys, type NewKey } from './keys.ts';

const anywhere = '203.0.113.7';
const minute = 60_000;

eachDatabase((openNew) => {
  let store: Store;
  let keys: Keys;
  let time: Date;
  beforeAll(async () => {
    store = await openNew();
  });
  beforeEach(() => {
    time = new Date('2026-03-10T12:00:00Z');
    const audit = createAudit({ store, now: () => time });
    keys = createKeys({ database: store.database, now: () => time, audit });
  });
  const later = (milliseconds: number) => new Date(time.getTime() + milliseconds);
  const make = (more: Partial<NewKey> = {}) =>
    keys.create({ kind: 'assistant', organization: 'o', name: '', ...more });
  const infoOf = async (id: string) => (await keys.list()).find((key) => key.id === id);

  test('a key is found by its token alone, and kept as a hash', async () => {
    const granted = { scopes: ['search'], groups: ['staff'] } as const;
    const { token, key } = await make({ domain: 'd', ...granted, networks: [anywhere] });
    expect(await keys.find(token, anywhere)).toEqual({
      id: key.id,
      kind: 'key',
      organization: 'o',
      domain: 'd',
      ...granted,
    });
    const rows = await store.database.selectFrom('keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token.slice('svc_dsc_'.length, -4));
    expect(await infoOf(key.id)).toEqual({ ...key, lastUsedAt: time.toISOString() });
  });

  test('from another address than its networks allow, a key is not found and not used', async () => {
    const { token, key } = await make({ networks: ['203.0.113.0/24', '2001:db8::1'] });
    for (const address of ['198.51.100.1', '2001:db8::2', 'unknown', undefined]) {
      expect(await keys.find(token, address)).toBeUndefined();
    }
    expect((await infoOf(key.id))?.lastUsedAt).toBeUndefined();
    for (const address of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8::1']) {
      expect(await keys.find(token, address)).toBeDefined();
    }
  });

  describe('a rotated key', () => {
    test('has two tokens until the grace period ends', async () => {
      const { token: old, key } = await make({ name: 'n', scopes: ['assistant'] });
      await keys.find(old, anywhere);
      const { token, key: rotated } = await keys.rotate(key.id, later(minute));
      expect(rotated).toMatchObject({
        id: key.id,
        name: 'n',
        scopes: ['assistant'],
        hint: token.slice(-4),
        rotatedAt: time.toISOString(),
        lastUsedAt: undefined,
        previous: { hint: old.slice(-4), until: later(minute).toISOString() },
      });
      const caller = await keys.find(token, anywhere);
      expect(caller?.id).toBe(key.id);
      expect(await keys.find(old, anywhere)).toEqual(caller);
      time = later(minute - 1);
      expect(await keys.find(old, anywhere)).toEqual(caller);
      time = later(1);
      expect(await keys.find(old, anywhere)).toBeUndefined();
      expect(await keys.find(token, anywhere)).toEqual(caller);
    });

    test('shows which of its tokens is used', async () => {
      const { token: old, key } = await make();
      const { token } = await keys.rotate(key.id, later(60 * minute));
      await keys.find(old, anywhere);
      expect(await infoOf(key.id)).toMatchObject({
        lastUsedAt: undefined,
        previous: { lastUsedAt: time.toISOString() },
      });
      const first = time;
      time = later(minute);
      await keys.find(token, anywhere);
      expect(await infoOf(key.id)).toMatchObject({
        lastUsedAt: time.toISOString(),
        previous: { lastUsedAt: first.toISOString() },
      });
    });

    test('without a grace period, loses its old token at once', async () => {
      const { token: old, key } = await make();
      const { token, key: rotated } = await keys.rotate(key.id, time);
      expect(rotated.previous).toBeUndefined();
      expect(await keys.find(old, anywhere)).toBeUndefined();
      expect(await keys.find(token, anywhere)).toBeDefined();
    });

    test('rotated again, has two tokens at most', async () => {
      const { token: first, key } = await make();
      const { token: second } = await keys.rotate(key.id, later(minute));
      const { token: third } = await keys.rotate(key.id, later(minute));
      expect(await keys.find(first, anywhere)).toBeUndefined();
      expect(await keys.find(second, anywhere)).toBeDefined();
      expect(await keys.find(third, anywhere)).toBeDefined();
    });

    test('rotated twice at the same time, keeps the last two tokens', async () => {
      const { key } = await make();
      const made = await Promise.all([1, 2].map(() => keys.rotate(key.id, later(minute))));
      for (const { token } of made) expect(await keys.find(token, anywhere)).toBeDefined();
    });

    test('loses both tokens when it is revoked', async () => {
      const { token: old, key } = await make();
      const { token } = await keys.rotate(key.id, later(minute));
      await keys.revoke(key.id);
      for (const each of [old, token]) expect(await keys.find(each, anywhere)).toBeUndefined();
    });

    test('loses its tokens when it expires, whatever the grace period', async () => {
      const { token: old, key } = await make({ expiresAt: later(minute) });
      const { token } = await keys.rotate(key.id, later(60 * minute));
      time = later(minute);
      for (const each of [old, token]) expect(await keys.find(each, anywhere)).toBeUndefined();
    });

    test('cannot be rotated once it is revoked or expired', async () => {
      const revoked = await make();
      await keys.revoke(revoked.key.id);
      const expired = await make({ expiresAt: time });
      const refusal = (id: string) =>
        keys.rotate(id, later(minute)).catch((error: unknown) => error);
      expect(await refusal(revoked.key.id)).toMatchObject({ code: 'conflict' });
      expect(await refusal(expired.key.id)).toMatchObject({ code: 'conflict' });
      expect(await refusal('nobody')).toMatchObject({ code: 'not_found' });
    });
  });
});
