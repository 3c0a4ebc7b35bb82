import { expect, test } from 'vitest';
import { readRepositoryAddress } from './repository-address.ts';

test.each([
  ['https://github.com/acme/docs', 'https://github.com/acme/docs', 'https://api.github.com'],
  ['https://github.com/acme/docs.git', 'https://github.com/acme/docs', 'https://api.github.com'],
  ['https://github.com/acme/docs/', 'https://github.com/acme/docs', 'https://api.github.com'],
  ['git@github.com:acme/docs.git', 'https://github.com/acme/docs', 'https://api.github.com'],
  [
    'ssh://git@github.com/acme/my.docs',
    'https://github.com/acme/my.docs',
    'https://api.github.com',
  ],
  ['https://acme.ghe.com/acme/docs', 'https://acme.ghe.com/acme/docs', 'https://api.acme.ghe.com'],
  ['https://git.corp:8443/a/b', 'https://git.corp:8443/a/b', 'https://git.corp:8443/api/v3'],
  ['http://127.0.0.1:99/a/b', 'http://127.0.0.1:99/a/b', 'http://127.0.0.1:99/api/v3'],
])('%s', (address, url, apiUrl) => {
  expect(readRepositoryAddress(address)).toMatchObject({ url, apiUrl });
});

test('the API may be elsewhere', () => {
  const read = readRepositoryAddress('https://git.corp/a/b', 'https://api.git.corp/');
  expect(read).toMatchObject({ owner: 'a', name: 'b', apiUrl: 'https://api.git.corp' });
});

test.each([
  ['https://github.com/acme', /owner and a repository/],
  ['https://github.com/acme/docs/tree/main', /owner and a repository/],
  ['https://user:secret@github.com/acme/docs', /tokenEnv/],
  ['http://github.com/acme/docs', /https:\/\//],
  // A name is no address, whatever it begins with.
  ['http://127.evil.example/acme/docs', /https:\/\//],
  ['ftp://github.com/acme/docs', /is not an address/],
  ['https://', /is not an address/],
])('%s is refused with what to write', (address, words) => {
  const read = readRepositoryAddress(address);
  expect('mistake' in read && read.mistake).toMatch(words);
  expect('mistake' in read && read.mistake).not.toContain('secret');
});

test('a token does not go over http to an API elsewhere', () => {
  const read = readRepositoryAddress('https://git.corp/a/b', 'http://git.corp/api/v3');
  expect('mistake' in read && read.mistake).toMatch(/apiUrl.*https/);
});
