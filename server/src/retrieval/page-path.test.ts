import { expect, test } from 'vitest';
import { commonFolder, createNearness, normalizePath, pathsOnSite } from './page-path.ts';

test.each([
  ['/a/b', '/a/b'],
  ['a/b/', '/a/b'],
  ['/a/b.html?x#y', '/a/b'],
  ['/a/index.html', '/a'],
  ['https://docs.example.com/a/b/#c', '/a/b'],
  ['https://docs.example.com', '/'],
  ['', '/'],
  ['/index', '/'],
  ['/reindex', '/reindex'],
  ['/a%20b', '/a b'],
  ['/%E8%A8%AD%E5%AE%9A/', '/設定'],
  ['/%E8%A8%AD%E5%AE', '/%E8%A8%AD%E5%AE'],
  ['/100%/a%20b', '/100%/a b'],
  ['/v1.2/x', '/v1.2/x'],
])('%s is %s', (path, normal) => {
  expect(normalizePath(path)).toBe(normal);
});

test.each([
  ['https://x.test/docs', 'https://x.test/docs/a#b', ['/a', '/docs/a']],
  ['https://x.test/docs/', '/docs', ['/', '/docs']],
  ['https://x.test/docs', '/docs-old/a', ['/docs-old/a']],
  ['https://x.test', '/docs/a', ['/docs/a']],
  [undefined, '/a.html', ['/a']],
  ['https://x.test/docs/#', 'https://x.test/docs/#/a/b?id=c', ['/a/b']],
  ['https://x.test/docs/#', '/docs/#/a/', ['/a']],
  ['https://x.test/#!', '/#!/a', ['/a']],
  ['https://x.test/#', '/a#b', ['/a']],
  ['https://x.test', '/api#/users/list', ['/api', '/users/list']],
  ['https://x.test', '/#/a/b?id=c', ['/a/b', '/']],
  ['https://x.test/docs', '/docs/index.html?v=2#/a', ['/a', '/', '/docs']],
  ['https://x.test/docs/#', '/docs/', ['/', '/docs']],
  ['https://x.test/docs', 'https://preview.test/docs/a/index.html', ['/a', '/docs/a']],
  ['https://x.test/%E8%A8%AD', '/%E8%A8%AD/a', ['/a', '/設/a']],
])('on a site at %s, %s is %j', (baseUrl, address, paths) => {
  expect(pathsOnSite(baseUrl, address)).toEqual(paths);
});

test.each([
  [['/docs/a', '/docs/b/c'], '/docs'],
  [['/docs/a', '/api/b'], ''],
  [['/docs/a/x', '/docs/ab/x'], '/docs'],
  [['/'], ''],
  [[], ''],
])('%j share %j', (paths, folder) => {
  expect(commonFolder(paths)).toBe(folder);
});

test.each([
  ['/docs/guides/node/start', '/docs/guides/node/start', 1],
  ['/docs/guides/node/start', '/docs/guides/node/next', 0.7],
  ['/docs/guides/node/start', '/docs/guides/node', 0.7],
  ['/docs/guides/node', '/docs/guides/node/start', 0.7],
  ['/docs/guides/node/start', '/docs/guides/bun/start', 0.4],
  ['/docs/guides/node/start', '/docs/guides', 0.4],
  ['/docs/guides/node/start', '/docs/guides-old/x', 0],
  ['/docs/guides/node/start', '/docs/api', 0],
  ['/docs/intro', '/docs/outro', 0],
  ['/elsewhere', '/docs/outro', 0],
])('from %s, %s is near by %d', (current, path, near) => {
  expect(createNearness(current, '/docs')(path)).toBe(near);
});
