/** Settings in JavaScript and TypeScript, as they are written in real projects. */
import { expect, test } from 'vitest';
import { at, callsIn, settingsIn, textAt } from './script-values.ts';
import { readScript } from './read-script.ts';

const settings = (code: string) => settingsIn(readScript(code)?.exported);

test('a value counts only at its place', () => {
  const code = `
    const authors = { ann: { title: 'Co-Founder' } };
    // title: 'In a comment'
    export default defineConfig({
      integrations: [starlight({ plugins: [blog({ authors })], title: 'Acme' })],
    });`;
  const [call] = callsIn(settings(code), 'starlight');
  expect(textAt(call?.args[0], 'title')).toBe('Acme');
  expect(textAt(settings(code), 'title')).toBeUndefined();
});

test.each([
  ['export default { title: "A" }'],
  ['module.exports = { title: "A" }'],
  ['const config = { title: "A" };\nexport default config;'],
  ['const config = { title: "A" };\nexport { config as default };'],
  ['const config: Config = { title: "A" };\nexport default config satisfies Config;'],
  ['export default defineConfig({ title: "A" } as const)'],
  ['export default () => ({ title: "A" })'],
  ['export default async function config() { const title = "A"; return { title }; }'],
  ['export default extend(define({ title: "A" }))'],
  ['const base = { title: "A" };\nexport default { ...base, base: "/" }'],
  ['const name = "A";\nexport default { title: `${name}` }'],
  ['export default { title: process.env.TITLE || "A" }'],
  ['const beta = process.env.BETA === "1";\nexport default { title: beta ? "B" : "A" }'],
  ['#!/usr/bin/env node\nexport default { title: "A", logo: <img src="a" /> }'],
  ['const t = { en: { title: "A" } };\nexport default { title: t["en"].title }'],
  ['enum E { One }\nexport default { title: "A" }'],
])('%s', (code) => {
  expect(textAt(settings(code), 'title')).toBe('A');
});

test('what only a run would tell is unknown, with its line and the part that is known', () => {
  const code = `import { version } from './version.ts';\nexport default {\n  title: \`Acme\${version}\`,\n  base: version,\n  n: call(),\n}`;
  expect(at(settings(code), 'title')).toEqual({ $unknown: 3, text: 'Acme' });
  expect(textAt(settings(code), 'title')).toBe('Acme');
  expect(at(settings(code), 'base')).toEqual({ $unknown: 4 });
  expect(textAt(settings(code), 'base')).toBeUndefined();
});

test('what is assigned again is no constant, and a constant that needs itself ends', () => {
  expect(textAt(settings('let a = "A"; a = "B"; export default { title: a }'), 'title')).toBe(
    undefined,
  );
  expect(readScript('const a = b; const b = a; export default { title: a }')).toBeDefined();
});

test('nothing runs, and what is no script is refused', () => {
  const code = 'globalThis.wasRun = true; export default { title: (() => { throw 1 })() }';
  expect(settings(code)).toBeDefined();
  expect('wasRun' in globalThis).toBe(false);
  expect(readScript('export default {')).toBeUndefined();
  expect(readScript('['.repeat(50_000))).toBeUndefined();
  expect(at(settings('export default { __proto__: { title: "A" } }'), 'title')).toBeUndefined();
});

test('what a function gives is unknown, with the text that holds without it', () => {
  const code = `
    const manifest = JSON.parse(readFileSync('package.json'));
    const env = loadEnv();
    export default { url: manifest.homepage, title: env.TITLE ?? 'Acme', base: env.BASE && '/' };`;
  expect(settings(code)).toEqual({
    url: { $unknown: 4 },
    title: { $unknown: 4, text: 'Acme' },
    base: { $unknown: 4 },
  });
});

test('values of other modules', () => {
  const code = `
    import { title } from './names';
    import config from './config';
    export default { ...config, title };`;
  const values = readScript(code);
  expect(values?.imports).toEqual({
    title: { from: './names', name: 'title' },
    config: { from: './config', name: 'default' },
  });
  const known = { title: 'Acme', config: { base: '/acme/' } };
  expect(readScript(code, known)?.exported).toEqual({ base: '/acme/', title: 'Acme' });
});
