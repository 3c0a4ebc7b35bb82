import { describe, expect, test } from 'vitest';
import { changesOf } from './option-changes.ts';
import type { DocentOptions } from './options.ts';

const basic: DocentOptions = { url: 'https://d.example.com', site: 'docs', key: 'svc_dsc_1' };

describe('from some options to others', () => {
  test('different options, and options that are missing now', () => {
    expect(
      changesOf({ ...basic, theme: 'dark', push: true }, { ...basic, theme: 'light' }),
    ).toEqual({ theme: 'light', push: null });
  });
  test('equal lists and objects are no change', () => {
    const make = (): DocentOptions => ({
      ...basic,
      hideOn: ['/a'],
      filter: { version: '2' },
      strings: { send: 'Go' },
    });
    expect(changesOf(make(), make())).toEqual({});
  });
  test('removed entries of an object are named', () => {
    expect(
      changesOf(
        { ...basic, strings: { send: 'Go', stop: 'No' } },
        { ...basic, strings: { send: 'Off you go' } },
      ),
    ).toEqual({ strings: { send: 'Off you go', stop: null } });
  });
  test('undefined is left out', () => {
    const before = { ...basic, title: undefined } as unknown as DocentOptions;
    expect(changesOf(before, basic)).toEqual({});
  });
});
