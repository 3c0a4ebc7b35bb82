import { afterEach, expect, test, vi } from 'vitest';
import { isFlagSet, setFlag } from './flags.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
  sessionStorage.clear();
});

test('before the first question, only one storage is opened', () => {
  const getItem = vi.fn();
  vi.stubGlobal('sessionStorage', { getItem });
  for (const flag of ['hidden', 'open', 'cited'] as const)
    expect(isFlagSet('site', flag)).toBe(false);
  expect(getItem).not.toHaveBeenCalled();
});

test('after it, a flag of the tab counts', () => {
  localStorage.setItem('docent:site', '{}');
  setFlag('site', 'open', true, 'sessionStorage');
  expect([isFlagSet('site', 'open'), isFlagSet('other', 'open')]).toEqual([true, false]);
});
