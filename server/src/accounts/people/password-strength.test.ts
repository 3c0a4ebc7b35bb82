import { expect, test } from 'vitest';
import { slowDownMs } from './guesses.ts';
import { requireGoodPassword } from './password-strength.ts';
import { isPasswordHash } from '../../platform/auth/passwords.ts';

const ada = { email: 'ada.lovelace@kestrel.test', name: 'Ada Lovelace' };

test.each([
  'Password1234',
  'P@ssw0rd!2345',
  'passwordpassword',
  '123456789012',
  'qwertyuiop123',
  '1qaz2wsx3edc',
  'zaq1xsw2cde3',
  'unbelievable',
  'Summer2026!!!',
  'December2026!!',
  'michaeljackson',
  'aaaaaaaaaaaaaa',
  'lovelace-kestrel-2026',
  'k7#Vq2!xW',
])('%s is easy to guess', (password) => {
  expect(() => requireGoodPassword(password, ada)).toThrow('easy to guess');
});

test.each([
  'a long walk by the sea',
  'correct horse battery staple',
  'mein Hund frisst gern Käse',
  'kT9!vw2Lq#8z',
  '9f86d081884c7d65',
  '我喜欢在海边散步看日落很美',
])('%s is taken', (password) => {
  requireGoodPassword(password, ada);
});

test('an account that many strangers guess at slows them down, and no more than 5 seconds', () => {
  expect([0, 49, 50, 120, 10_000].map(slowDownMs)).toEqual([0, 0, 1_000, 2_000, 5_000]);
});

test('hashes that another program may have made', () => {
  const end = 'c2FsdHNhbHRzYWx0c2FsdA$q6VVcrZS9y3WIX/e6H7U1tl/eTDVle1QJ1Ht7S5YwXs';
  const hash = (parameters: string, kind = 'argon2id') => `$${kind}$v=19$${parameters}$${end}`;
  expect(isPasswordHash(hash('m=65540,t=3,p=4'))).toBe(true);
  expect(isPasswordHash(hash('m=65540,t=3,p=4', 'argon2i'))).toBe(false);
  // It would take the machine's memory, or its time.
  expect(isPasswordHash(hash('m=999999,t=3,p=4'))).toBe(false);
  expect(isPasswordHash(hash('m=19456,t=99,p=1'))).toBe(false);
  expect(isPasswordHash('password')).toBe(false);
});
