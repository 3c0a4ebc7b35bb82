import { afterEach, describe, expect, test, vi } from 'vitest';
import { explain } from '../embed/explain.ts';
import { readAllSettings as readSettings } from '../embed/all-settings.ts';

const right = { site: 'docs.example.com', key: 'svc_dsc_abc' };
const src = 'https://docent.example.com/tools/docent.js?v=1';

afterEach(() => vi.restoreAllMocks());

describe('settings', () => {
  test('have defaults', () => {
    expect(readSettings(right, src)).toEqual({
      settings: {
        base: 'https://docent.example.com/tools',
        ...right,
        name: '',
        theme: 'auto',
        accent: undefined,
        position: 'right',
        title: undefined,
        shortcut: 'ctrl+i',
        layout: 'bubble',
        target: undefined,
        push: false,
        language: 'auto',
        consent: 'given',
        consentLink: undefined,
        hidden: false,
        hideOn: [],
        launcher: true,
        selection: true,
        code: true,
        feedback: true,
        suggestions: true,
        deepLink: 'prefill',
        filter: undefined,
        strings: undefined,
      },
      wrong: [],
    });
  });
  test('are what the tag says', () => {
    const data = {
      ...right,
      theme: 'dark',
      position: 'left',
      title: ' Help ',
      shortcut: 'shift+alt+/',
    };
    const { settings, wrong } = readSettings(data, src);
    expect(wrong).toEqual([]);
    expect(settings).toMatchObject({
      theme: 'dark',
      position: 'left',
      title: 'Help',
      shortcut: 'alt+shift+/',
    });
  });
  test('a shortcut can be switched off', () => {
    expect(readSettings({ ...right, shortcut: 'none' }, src).settings.shortcut).toBeUndefined();
  });
  test('mistakes fall back to the default and are named', () => {
    const data = { ...right, theme: 'drak', position: 'top', shortcut: 'i' };
    const { settings, wrong } = readSettings(data, src);
    expect(settings).toMatchObject({ theme: 'auto', position: 'right', shortcut: 'ctrl+i' });
    expect(wrong.toSorted()).toEqual(['position', 'shortcut', 'theme']);
  });
  test.each([
    [{}, ['key', 'site']],
    [{ site: 'https://docs.example.com/', key: 'svc_dsc_a' }, ['site']],
    [{ site: 'docs.example.com', key: 'svc_admin' }, ['key']],
    [{ site: 'docs.example.com', key: 'svc_dsc_…' }, ['key']],
    [{ site: 'docs.example.com', key: 'svc_dsc_<your key>' }, ['key']],
  ])('%j: cannot start', (data, expected) => {
    const { settings, wrong } = readSettings(data, src);
    expect(wrong.toSorted()).toEqual(expected);
    expect(settings.site && settings.key).toBeUndefined();
  });
});

describe('the owner is told what to write', () => {
  test.each([
    [{}, 'site', `site is missing: write site: "docs.example.com".`],
    [{ site: 'https://docs.example.com/x' }, 'site', 'write site: "docs.example.com"'],
    [{}, 'key', 'write the site’s assistant key, key: "svc_dsc_…".'],
    [{ theme: 'drak' }, 'theme', 'createDocent: theme: "drak" is unknown'],
    [{ hideOn: [1] }, 'hideOn', 'createDocent: hideOn: [1] is not a list of paths'],
  ])('in options, %j', (data, name, words) => {
    const warning = vi.spyOn(console, 'warn').mockImplementation(() => {});
    explain({ ...data, url: 'https://docent.example.com' }, [name]);
    expect(warning.mock.calls[0]?.[0]).toContain(words);
    expect(warning.mock.calls[0]?.[0]).not.toContain('data-');
  });
  test.each([
    [{}, 'site', 'data-site="docs.example.com"'],
    [{ site: 'https://docs.example.com/x' }, 'site', 'write data-site="docs.example.com"'],
    [{}, 'key', 'data-key="svc_dsc_'],
    [{ key: 'svc_secret' }, 'key', 'admin key'],
    [{ key: 'abc' }, 'key', 'begins with "svc_dsc_"'],
    [{ key: 'svc_dsc_…' }, 'key', 'not a complete key'],
    [{ theme: 'drak' }, 'theme', 'auto, light, dark'],
    [{ position: 'top' }, 'position', 'right, left'],
    [{ accent: 'blurple' }, 'accent', 'write for example "#3451d1"'],
    [{ shortcut: 'i' }, 'shortcut', '"mod+i"'],
  ])('%j', (data, name, words) => {
    const warning = vi.spyOn(console, 'warn').mockImplementation(() => {});
    explain(data, [name]);
    expect(warning).toHaveBeenCalledOnce();
    expect(warning.mock.calls[0]?.[0]).toMatch(/^\[docent\] /);
    expect(warning.mock.calls[0]?.[0]).toContain(words);
  });
  test.each([
    ['layuot', 'data-layuot is not a setting. Did you mean data-layout?'],
    ['hideon', 'data-hideon is not a setting. Did you mean data-hide-on?'],
    ['consentlink', 'Did you mean data-consent-link?'],
    ['kye', 'Did you mean data-key?'],
    ['sugestion', 'Did you mean data-suggestions?'],
  ])('a name with a mistake in it: %s', (name, words) => {
    const warning = vi.spyOn(console, 'warn').mockImplementation(() => {});
    explain({ [name]: 'sidebar' }, [name]);
    expect(warning).toHaveBeenCalledOnce();
    expect(warning.mock.calls[0]?.[0]).toContain(words);
  });
  test('not about attributes of others, and once about each of ours', () => {
    const warning = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const data = {
      cfasync: 'false',
      turboTrack: 'reload',
      domain: 'x',
      site: 'docs.example.com',
      size: 'small',
      astroExec: '',
      thmee: 'dark',
    };
    explain(data, ['cfasync', 'thmee']);
    explain(data, []);
    expect(warning).toHaveBeenCalledOnce();
    explain({ url: 'https://docent.example.com', titel: 'Ask' }, ['titel']);
    expect(warning.mock.calls[1]?.[0]).toBe(
      '[docent] createDocent: titel is not a setting. Did you mean title?',
    );
  });
  test('never with the admin key itself', () => {
    const warning = vi.spyOn(console, 'warn').mockImplementation(() => {});
    explain({ key: 'svc_secret' }, ['key']);
    expect(String(warning.mock.calls[0]?.[0])).not.toContain('svc_secret');
  });
});
