/** The widget's published types, as a project meets them that has none of our sources. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const tests = fileURLToPath(new URL('..', import.meta.url));
const widget = join(tests, '..', 'widget');
const tsc = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin',
  'tsc',
);

/** Each `@ts-expect-error` is one that has to be: without it, the compiler would complain of the line. */
const files = {
  'module.ts': `
import { createDocent, type DocentOptions, type DocentWidget } from '@docent/widget';
const options: DocentOptions = {
  url: 'https://docent.example.com', site: 'docs', key: 'svc_dsc_1',
  layout: 'inline', target: document.body, hideOn: ['/blog/*'], filter: { version: '2' },
};
const docent: DocentWidget = createDocent(options);
docent.on('answer', ({ sources, status }) => { const known: 'answered' | 'unanswered' | 'refused' | undefined = status; console.log(sources.toFixed(), known); });
docent.on('error', ({ kind, code, status }) => console.log(kind === 'limit', code?.length, status?.toFixed()));
docent.update({ theme: null, strings: { send: null }, filter: { version: null } });
docent.ask('Where?', { send: false });
// @ts-expect-error
docent.on('answer', ({ question }) => console.log(question));
// @ts-expect-error
docent.update({ site: 'other' });
// @ts-expect-error
createDocent({ site: 'docs', key: 'svc_dsc_1' });
`,
  'tag.ts': `
import type {} from '@docent/widget/api';
window.Docent?.('blog:open');
window.Docent?.('on', 'error', ({ code }) => console.log(code));
// @ts-expect-error
window.Docent?.('opne');
`,
  'react.tsx': `
import { Docent, useDocent, type DocentProps } from '@docent/widget/react';
const props: DocentProps = { url: 'https://docent.example.com', site: 'docs', siteKey: 'svc_dsc_1' };
export function Help() {
  const docent = useDocent('blog');
  return <>
    <Docent {...props} name="blog" onAnswer={({ status }) => console.log(status)} onHide={() => {}} />
    <button onClick={() => docent.ask('Where?')}>Ask</button>
    {/* @ts-expect-error */}
    <Docent {...props} onAnswered={() => {}} />
  </>;
}
`,
};

test.each([
  { module: 'esnext', moduleResolution: 'bundler' },
  { module: 'nodenext', moduleResolution: 'nodenext' },
])('a project compiles against the package: $moduleResolution', async (resolution) => {
  // Where React's types are found; the package is copied, as an installation does.
  const folder = await mkdtemp(join(tests, 'node_modules', '.consumer-'));
  try {
    const compilerOptions = {
      ...resolution,
      target: 'es2022',
      lib: ['es2023', 'dom'],
      jsx: 'react-jsx',
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: [],
    };
    const installed = join(folder, 'node_modules', '@docent', 'widget');
    await cp(join(widget, 'dist', 'types'), join(installed, 'dist', 'types'), { recursive: true });
    await cp(join(widget, 'package.json'), join(installed, 'package.json'));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const { stdout } = await run(process.execPath, [tsc, '-p', folder, '--listFilesOnly']);
    const ours = stdout.split('\n').filter((file) => file.includes('/widget/'));
    expect(ours.length).toBeGreaterThan(3);
    // Of ours it sees what is published, and nothing inside.
    expect(ours.filter((file) => !file.includes('/widget/dist/types/'))).toEqual([]);
    const said = await run(process.execPath, [tsc, '-p', folder]).then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    );
    expect(said).toBe('');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the types name nothing but each other and React', async () => {
  const folder = join(widget, 'dist', 'types');
  const published = await readdir(folder);
  expect(published.toSorted()).toEqual([
    'api.d.ts',
    'events.d.ts',
    'module-api.d.ts',
    'options.d.ts',
    'react-api.d.ts',
  ]);
  const texts = await Promise.all(published.map((name) => readFile(join(folder, name), 'utf8')));
  const named = texts.flatMap((text) =>
    [...text.matchAll(/^(?:import|export)\b.* from '([^']+)'/gm)].map(([, id]) => id),
  );
  expect(new Set(named)).toEqual(new Set(['./api.ts', './events.ts', './options.ts', 'react']));
});
