/** The words of a pull request: what they say, and what they cannot be made to do. */
import { diffFiles } from '../workspace/diff.ts';
import type { ChecksReport } from '@docent/shared/agent-checks';
import { skipNotes } from '@docent/shared/check-words';
import { marked } from 'marked';
import { describe, expect, test } from 'vitest';
import { docsFilesOf, type FileChange } from '../workspace/tree.ts';
import { isDraftPull } from '../run/review.ts';
import { commitMessage, pullBody, type PullText, pullTitle } from './pull-text.ts';
import { codeSpan, modestMarkdown, quote } from './neutral-text.ts';
import { findTemplate } from './template.ts';
import { treeOf } from '../../../testing/memory-tree.ts';

const change = (path: string, before?: string, after?: string, from?: string): FileChange => ({
  path,
  kind: before === undefined ? 'added' : after === undefined ? 'deleted' : 'modified',
  ...(from !== undefined && { from }),
  before: before === undefined ? undefined : Buffer.from(before),
  after: after === undefined ? undefined : Buffer.from(after),
});

const passed: ChecksReport = {
  checks: [
    { name: 'links', status: 'passed' },
    { name: 'mdx', status: 'skipped', note: 'no MDX' },
    { name: 'images', status: 'skipped', note: skipNotes.off },
  ],
  problems: [],
  more: 0,
  old: 0,
};

const usual: PullText = {
  summary:
    'The install page said port 80; the service listens on **3000**.\n\n- `install.md` names it',
  instructions: ['Fix the port on the install page.'],
  files: diffFiles([change('docs/install.md', 'Port 80\n', 'Port 3000\n')]),
  checks: passed,
  review: { newHosts: [], newCode: [], protectedFiles: [] },
  job: { id: '01JD8Z3QK5', url: 'https://docs.acme.com/jobs/01JD8Z3QK5' },
  formerPulls: [],
};

describe('the description', () => {
  test('says what and why, which files, which checks, who asked for what', () => {
    expect(pullBody(usual)).toMatchInlineSnapshot(`
      "The install page said port 80; the service listens on **3000**.

      - \`install.md\` names it

      ### Files

      | File | Change | Lines |
      | --- | --- | --- |
      | \`docs/install.md\` | changed | +1 −1 |

      ### Checks

      ✓ Passed: Links

      - – MDX: not checked, no MDX

      ### Instruction

      > Fix the port on the install page.

      ---
      Made by Docent, job [01JD8Z3QK5](https://docs.acme.com/jobs/01JD8Z3QK5)."
    `);
  });

  test('everything at once', () => {
    const text: PullText = {
      ...usual,
      files: diffFiles([
        change('docs/new.md', undefined, 'a\nb\n'),
        change('docs/old.md', 'x\n'),
        change('docs/was.md', 'one\ntwo\n'),
        change('docs/is.md', undefined, 'one\n2\n', 'docs/was.md'),
        change('docs/logo.png', 'a\0b', 'a\0c'),
      ]),
      checks: {
        checks: [{ name: 'links', status: 'failed' }],
        problems: [
          {
            check: 'links',
            path: 'docs/new.md',
            line: 2,
            message: 'There is no page /x.',
            severity: 'error',
          },
        ],
        more: 3,
        old: 1,
      },
      review: {
        newHosts: [{ host: 'evil.example', paths: ['docs/new.md'] }],
        newCode: [{ path: 'docs/new.md', what: '<script src=x>' }],
        protectedFiles: [{ path: 'package.json', what: 'a list of packages' }],
      },
      instructions: ['First.', 'Then\nsecond.'],
      formerPulls: [{ number: 7, url: 'https://github.com/acme/docs/pull/7' }],
    };
    expect(pullBody(text)).toMatchInlineSnapshot(`
      "The install page said port 80; the service listens on **3000**.

      - \`install.md\` names it

      ### Needs approval

      - New host \`evil.example\` in \`docs/new.md\`
      - Code that runs: \`<script src=x>\` in \`docs/new.md\`
      - Protected file \`package.json\`: a list of packages
      - Checks of the documentation failed, see below

      ### Files

      | File | Change | Lines |
      | --- | --- | --- |
      | \`docs/was.md\` → \`docs/is.md\` | moved | +1 −1 |
      | \`docs/logo.png\` | changed | binary |
      | \`docs/new.md\` | added | +2 −0 |
      | \`docs/old.md\` | deleted | +0 −1 |

      ### Checks

      - ✗ Links: failed

      New problems:

      - \`docs/new.md:2\`: There is no page /x.
      - and 3 more

      1 problem of these files was there before.

      ### Instructions

      > First.

      <!-- -->

      > Then
      > second.

      ---
      Made by Docent, job [01JD8Z3QK5](https://docs.acme.com/jobs/01JD8Z3QK5). It goes on from [#7](https://github.com/acme/docs/pull/7)."
    `);
  });

  test('goes into the repository’s own template, whose check list stays', async () => {
    const tree = treeOf({
      '.github/PULL_REQUEST_TEMPLATE.md':
        '---\nname: x\n---\n<!-- Thanks! -->\r\n## Description\r\n\r\n## Checklist\r\n\r\n- [ ] I have read the guide\r\n',
      'docs/a.md': '',
    });
    const template = await findTemplate(docsFilesOf(tree));
    expect(template).toContain('- [ ] I have read the guide');
    const body = pullBody({ ...usual, template });
    expect(body.split('\n').slice(0, 4)).toEqual([
      '<!-- Thanks! -->',
      '## Description',
      '',
      'The install page said port 80; the service listens on **3000**.',
    ]);
    expect(body).toMatch(/## Checklist\n\n- \[ \] I have read the guide$/);
  });

  test.each([
    ['.github/pull_request_template.md', true],
    ['PULL_REQUEST_TEMPLATE.md', true],
    ['docs/pull_request_template.md', true],
    ['.github/PULL_REQUEST_TEMPLATE/default.md', true],
    ['.gitlab/merge_request_templates/Default.md', true],
    ['.github/PULL_REQUEST_TEMPLATE/feature.md', false],
    ['src/pull_request_template.md', false],
  ])('a template in %s: %s', async (path, isFound) => {
    const template = await findTemplate(docsFilesOf(treeOf({ [path]: 'About\n\n- [ ] done' })));
    expect(template !== undefined).toBe(isFound);
    if (isFound) expect(pullBody({ ...usual, template })).toMatch(/- \[ \] done$/);
  });

  test('a list alone gets a sentence before it', () => {
    expect(pullBody({ ...usual, summary: '* one\n* two' })).toMatch(
      /^This changes 1 file:\n\n- one\n- two\n\n### Files/,
    );
  });

  test('is never longer than the host takes', () => {
    const long = 'word '.repeat(50_000);
    const body = pullBody({
      ...usual,
      summary: long,
      instructions: Array.from({ length: 40 }, () => `${long}@everyone`),
      files: diffFiles(
        Array.from({ length: 3000 }, (_, i) =>
          change(`docs/${'x'.repeat(200)}${i}.md`, undefined, 'a\n'),
        ),
      ),
      template: 'y\n'.repeat(9000),
    });
    expect(body.length).toBeLessThanOrEqual(65_536);
    expect(body).toContain('job [01JD8Z3QK5]');
  });
});

/** What a host would do with the text: on its rendering, as they do. */
function effects(markdown: string): string[] {
  const html = marked.parse(markdown, { gfm: true, async: false });
  const withoutCode = html.replace(/<code>[\s\S]*?<\/code>/g, '<code></code>');
  const text = withoutCode.replace(/<[^>]*>/g, '').replace(/&#8203;/g, '\u200b');
  return [
    ...(html.match(
      /<(?!\/?(?:p|ul|ol|li|strong|code|blockquote|h3|table|thead|tbody|tr|td|th|hr|br)\b)[^>]*>/g,
    ) ?? []),
    ...(text.match(/(?<![\w@])@[\w-]+/g) ?? []),
    ...(text.match(/#\d+|gh-\d+/gi) ?? []),
    ...(text.match(/https?:\/\/\S*/g) ?? []),
    ...(text.match(/<!--/g) ?? []),
  ];
}

const hostile = [
  'ping @octocat and @acme/docs-team',
  '(@octocat) "@octocat" a@octocat /@octocat',
  'fixes #1, closes acme/docs#2, resolves GH-3',
  'Fixes https://github.com/acme/docs/issues/4',
  'closes: #5 CLOSES #6',
  'fixes DOCS-12, Closes: ABC-3 and implements X1-4',
  '![x](https://evil.example/pixel.png)',
  '[click](https://evil.example "t")',
  '[click][r]\n\n[r]: https://evil.example',
  '<https://evil.example>',
  'www.evil.example and http://evil.example',
  '<img src=x onerror=alert(1)>',
  '<!-- hidden --> <details open><summary>x</summary>',
  '</details></table>',
  '<script>alert(1)</script>',
  '# Heading\n\n## Other\n===\n---',
  '- [x] All checks passed\n* [ ] item\n1. one\n2) two',
  '> quoted\n>> deeper',
  '```\ncode @octocat\n```\n@octocat',
  '    indented @octocat\n\tthen @octocat',
  '| a | b |\n| - | - |\n| @octocat | #1 |',
  'a \\@octocat \\#1 \\[x\\](https://evil.example)',
  '&#64;octocat &num;1 &lt;script&gt;',
  '~~x~~ __y__ **@octocat** `@octocat`',
  '[^1]: note @octocat',
  '\u202e@octocat\u202c \u200b@octocat',
  '<a href="javascript:alert(1)">x</a>',
  '@\u200boctocat',
  '$\\text{@octocat}$',
  '\r\n@octocat\r#1',
  '<!-- docent:end -->@octocat',
];

describe('words of others', () => {
  test.each(hostile)('%j as an instruction does nothing', (text) => {
    expect(effects(quote(text))).toEqual([]);
    expect(
      quote(text)
        .split('\n')
        .every((line) => line.startsWith('>')),
    ).toBe(true);
  });

  test.each(hostile)('%j as a summary does nothing', (text) => {
    expect(effects(modestMarkdown(text))).toEqual([]);
  });

  test.each(hostile)('%j in a file name or a message of a check does nothing', (text) => {
    const body = pullBody({
      ...usual,
      summary: 'x',
      instructions: [],
      files: diffFiles([change(`docs/${text}.md`, undefined, 'a\n')]),
      checks: {
        checks: [{ name: 'links', status: 'failed', note: text }],
        problems: [{ check: 'links', path: text, message: text, severity: 'error' }],
        more: 0,
        old: 0,
      },
      review: {
        newHosts: [{ host: text, paths: [text] }],
        newCode: [{ path: text, what: text }],
        protectedFiles: [{ path: text, what: text }],
      },
      job: { id: 'j' },
    });
    expect(effects(body)).toEqual([]);
    expect(body).not.toContain('<!--');
  });

  test.each(hostile)(
    '%j as a title or a commit message calls nobody and closes nothing',
    (text) => {
      const title = pullTitle(text, 'x');
      const message = commitMessage({ title, summary: text });
      expect(title).not.toMatch(/[\n\r]/);
      for (const plain of [title, message]) {
        expect(plain).not.toMatch(/@(?=[\w-])|#\d|gh-\d|https?:\/\//i);
        // Hosts of issues take a word and a number.
        expect(plain).not.toMatch(/\b(?:fix|close|implement)e?s:? [A-Z][A-Z\d]*-\d/i);
      }
    },
  );

  test('stay readable', () => {
    expect(modestMarkdown('## What\n\nUses `a | b` and **bold**; see x_y.\n- one\n  - two')).toBe(
      '**What**\n\nUses `a | b` and **bold**; see x\\_y.\n- one\n  - two',
    );
    expect(quote('Fix "a" & b.\n\n1. x')).toBe('> Fix "a" &amp; b.\n>\n> 1\\. x');
    expect(codeSpan('a`b')).toBe('``a`b``');
    expect(codeSpan('`')).toBe('`` ` ``');
  });

  test('a secret in them is taken out', () => {
    const secret = ['gh', 'p_k7Qx', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6'].join('');
    const words = `Use ${secret} now`;
    const body = pullBody({ ...usual, summary: words, instructions: [words] });
    expect(
      body + pullTitle(words, '') + commitMessage({ title: 't', summary: words }),
    ).not.toContain(secret.slice(6));
  });
});

describe('the title', () => {
  test.each([
    ['Correct the port', 'x', 'Correct the port'],
    ['# Correct the port.', 'x', 'Correct the port'],
    ['Correct\nthe port', 'x', 'Correct'],
    [
      '',
      'Fix the `port` on the [install page](/install)\n\nDetails',
      'Fix the port on the install page',
    ],
    [undefined, '', 'Update the documentation'],
    ['...', '???', 'Update the documentation'],
    ['Wait for it...', '', 'Wait for it...'],
    ['[skip ci] Change', '', '[\u200bskip ci] Change'],
  ])('%j for %j is %j', (title, instruction, expected) => {
    expect(pullTitle(title, instruction)).toBe(expected);
  });

  test.each(['word '.repeat(40), 'x'.repeat(500), `a${'👩‍👩‍👧‍👦'.repeat(60)}`, '@a '.repeat(60)])(
    '%j is cut to 72 characters',
    (title) => {
      expect(Array.from(pullTitle(title, '')).length).toBeLessThanOrEqual(72);
      expect(pullTitle(title, '')).toMatch(/…$/);
    },
  );
});

describe('the commit message', () => {
  test('has a title and the summary', () => {
    const summary = 'The page said 80.\n\n- one';
    expect(commitMessage({ title: 'Correct the port', summary })).toMatchInlineSnapshot(`
      "Correct the port

      The page said 80.

      - one
      "
    `);
  });

  test('no trailer comes from words of others', () => {
    const summary =
      'x\n\nDocent-Job: other/1\nCo-authored-by: Eve <eve@evil.example>\nSigned-off-by: E\nskip-checks: true';
    const message = commitMessage({ title: 't', summary });
    expect(message).not.toMatch(/^[A-Za-z]+(?:-[A-Za-z]+)+:/m);
    expect(message).not.toContain('skip-checks: true');
  });
});

describe('whether it is a draft', () => {
  test.each([
    ['always', [false, false], true],
    ['never', [true, true], false],
    ['caller', [false, false], false],
    ['caller', [true, false], true],
    ['caller', [false, true], true],
  ] as const)('%s with %j: %s', (policy, reasons, expected) => {
    expect(isDraftPull(policy, ...reasons)).toBe(expected);
  });
});
