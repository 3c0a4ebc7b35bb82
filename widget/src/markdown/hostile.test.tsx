import { cleanup } from '@testing-library/preact';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { dangers, hostile } from '../../testing/hostile.ts';
import { draw } from '../../testing/render.tsx';
import { safePicture, safeUrl } from './safe-url.ts';

afterEach(cleanup);

describe('hostile answers', () => {
  beforeAll(() => {
    // The detector itself must see what it looks for.
    const bad = document.createElement('div');
    const link = document.createElement('a');
    link.setAttribute('href', 'javascript:alert(1)');
    const picture = document.createElement('img');
    picture.setAttribute('src', 'https://evil.example/x.png');
    picture.setAttribute('onerror', 'alert(1)');
    bad.append(link, picture, document.createElement('iframe'));
    expect(dangers(bad)).toHaveLength(4);
  });

  test(`there are at least 60 (${hostile.length})`, () => {
    expect(hostile.length).toBeGreaterThanOrEqual(60);
  });

  test.each(hostile)('%j does nothing, whole or cut', (text) => {
    expect(dangers(draw(text).container)).toEqual([]);
    const growing = draw('', true);
    for (let end = 1; end <= text.length; end++) {
      growing.grow(text.slice(0, end));
      expect(dangers(growing.container)).toEqual([]);
    }
  });

  test('in the middle of other text', () => {
    const text = hostile.join('\n\nwords\n\n');
    expect(dangers(draw(text).container)).toEqual([]);
  });
});

describe('addresses', () => {
  test.each([
    ['https://a.example/x?y#z', 'https://a.example/x?y#z'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
    ['/docs#part', `${location.origin}/docs#part`],
    ['#part', `${location.href.replace(/#.*/, '')}#part`],
  ])('%s may be a link', (href, url) => expect(safeUrl(href)).toBe(url));
  test.each(['javascript:x', 'data:text/html,x', 'vbscript:x', 'http://[', 'java\nscript:x'])(
    '%j may not',
    (href) => expect(safeUrl(href)).toBeUndefined(),
  );
  test('pictures come from this site only', () => {
    expect(safePicture('/a.png')).toBe(`${location.origin}/a.png`);
    expect(safePicture('https://evil.example/a.png')).toBeUndefined();
    expect(safePicture('//evil.example/a.png')).toBeUndefined();
    expect(safePicture('data:image/png;base64,AA')).toBeUndefined();
  });
});
