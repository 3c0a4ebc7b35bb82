import { expect, test } from 'vitest';
import { readProjectAddress } from './repository-address.ts';

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
  expect(readProjectAddress({ repository: address })).toMatchObject({ url, apiUrl });
});

test('the API may be elsewhere', () => {
  const read = readProjectAddress({
    repository: 'https://git.corp/a/b',
    github: { apiUrl: 'https://api.git.corp/' },
  });
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
  const read = readProjectAddress({ repository: address });
  expect('mistake' in read && read.mistake).toMatch(words);
  expect('mistake' in read && read.mistake).not.toContain('secret');
});

test('a token does not go over http to an API elsewhere', () => {
  const read = readProjectAddress({
    repository: 'https://git.corp/a/b',
    github: { apiUrl: 'http://git.corp/api/v3' },
  });
  expect('mistake' in read && read.mistake).toMatch(/apiUrl.*https/);
});

test.each([
  [{ gitea: {} }, 'https://git.corp:3000/a/b.git', 'a', 'https://git.corp:3000/api/v1'],
  [{ gitea: {} }, 'https://corp.test/git/a/b', 'a', 'https://corp.test/git/api/v1'],
  [{ gitlab: {} }, 'https://gitlab.com/a/b/c', 'a/b', 'https://gitlab.com/api/v4'],
  [{ gitlab: {} }, 'git@gitlab.com:a/b/c.git', 'a/b', 'https://gitlab.com/api/v4'],
  [
    { gitlab: { url: 'https://corp.test/gitlab' } },
    'https://corp.test/gitlab/a/b',
    'a',
    'https://corp.test/gitlab/api/v4',
  ],
])('%j at %s', (host, repository, owner, apiUrl) => {
  expect(readProjectAddress({ repository, ...host })).toMatchObject({ owner, apiUrl });
});

test('a GitLab project is below the address of GitLab, and other hosts are named in the mistake', () => {
  const gitlab = { url: 'https://corp.test/gitlab' };
  const outside = readProjectAddress({ repository: 'https://corp.test/a/b', gitlab });
  expect('mistake' in outside && outside.mistake).toMatch(/below "gitlab.url"/);
  const deep = readProjectAddress({ repository: 'https://gitlab.com/a/b/c' });
  expect('mistake' in deep && deep.mistake).toMatch(/set "gitea" or "gitlab"/);
});
