import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { checkDocsFolder, domainOf, nameOfDocs } from '../src/docs-folder.ts';
import { choosePort } from '../src/ports.ts';
import { readStartOptions } from '../src/start-options.ts';
import { docsFolder } from './docs-folder.ts';

test('reads the options', () => {
  expect(readStartOptions(['--docs', 'x', '--port', '1', '--site-port=2', '--watch'])).toEqual({
    docsFolder: 'x',
    port: 1,
    sitePort: 2,
    watch: true,
    help: false,
  });
});

test.each([
  [['--dosc', 'x'], /--dosc isn’t an option/],
  [['x'], /write --docs x/],
  [['--docs'], /--docs needs a folder/],
  [['--port', '70000'], /--port needs a port/],
  [['--site-port', '1e3'], /--site-port needs a port/],
])('%j is refused with one sentence', (args, sentence) => {
  expect(() => readStartOptions(args)).toThrow(sentence);
});

test('a folder without pages is refused with an example', async () => {
  const empty = docsFolder({ 'notes.txt': 'none' });
  await expect(checkDocsFolder(empty)).rejects.toThrow(/There is no Markdown in .* --docs/);
  await expect(checkDocsFolder(`${empty}/nope`)).rejects.toThrow(/doesn’t exist/);
  await expect(checkDocsFolder(`${empty}/notes.txt`)).rejects.toThrow(/is a file/);
});

test('documentation is named after its package or its folder', () => {
  const folder = docsFolder({
    'package.json': '{"name":"@acme/Kit"}',
    'docs/a.md': '',
    'b/docs/a.md': '',
  });
  expect(nameOfDocs(`${folder}/docs`)).toBe('@acme/Kit');
  expect(nameOfDocs(`${folder}/b/docs`)).toBe('B');
  expect(domainOf('@acme/Kit')).toBe('acme-kit');
});

test('if a default port is in use, the next one is used; if a set port is in use, the start fails', async () => {
  const said: string[] = [];
  const port = await occupiedPort();
  const wish = { purpose: 'the site', option: '--site-port', usual: port, wanted: undefined };
  const chosen = await choosePort(wish, (line) => said.push(line));
  expect(chosen).toBeGreaterThan(port);
  expect(said).toEqual([`Port ${port} is in use, so the site uses port ${chosen}.`]);
  await expect(choosePort({ ...wish, wanted: port }, () => {})).rejects.toThrow(
    /\(--site-port\) is in use/,
  );
});

async function occupiedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('listens on a port');
  return address.port;
}
