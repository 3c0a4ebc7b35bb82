import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { branchNameMistake } from '../../platform/config/repository-address.ts';
import { branchName } from './branch-name.ts';

const jobId = '01JD8Z3QK5V7H2M9X4T6R8W0YB';

/** What git itself says. */
function gitTakes(name: string): boolean {
  if (name.includes('\0')) return false;
  try {
    execFileSync('git', ['check-ref-format', `refs/heads/${name}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Put together, so that no scanner takes it for a real one. */
const token = ['gh', 'p_', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('');

const prompts = [
  'Fix the install page',
  '',
  '   ',
  '...',
  '..',
  '../../etc/passwd',
  '/',
  '//a//',
  '-rf --force',
  '--upload-pack=touch /tmp/x',
  'HEAD',
  '@',
  '@{-1}',
  'refs/heads/main',
  'main.lock',
  'a.lock/b.lock',
  '.hidden',
  'ends with dot.',
  'a~b^c:d?e*f[g\\h',
  'line\nbreak\r\nand\ttab',
  'nul\0byte',
  '\u001b[31mred\u001b[0m',
  '\u202egnp.exe',
  'zero\u200bwidth\u200d\ufeff',
  'Überprüfe die Größe',
  'éàçñø łódź',
  'Исправь страницу установки',
  '修复安装页面',
  'インストール手順を直す',
  'أصلح صفحة التثبيت',
  'Διόρθωσε τη σελίδα',
  'תקן את הדף',
  '🚀🚀🚀',
  '👩‍👩‍👧‍👦 family',
  '\ud800 half',
  'x'.repeat(5000),
  'word '.repeat(1000),
  '字'.repeat(500),
  "$(touch /tmp/x) `id` ; rm -rf / && echo 'x' | sh",
  '%2e%2e%2f',
  'A'.repeat(39) + ' ' + 'B',
  '0000000000000000000000000000000000000000',
  'https://evil.example/path?token=1 fix this',
  `use ${token} please`,
  '<script>alert(1)</script>',
  '# Heading\n\n- [ ] item',
  'a--b---c',
  '𝕱𝖆𝖓𝖈𝖞 𝖑𝖊𝖙𝖙𝖊𝖗𝖘',
  'ﬁx the ﬀ ligature',
  'con',
];

describe('a branch of a job', () => {
  test.each(prompts)('%j is one that git takes, short and in plain letters', (prompt) => {
    const name = branchName('docent/', prompt, jobId);
    expect(gitTakes(name)).toBe(true);
    expect(branchNameMistake(name)).toBeUndefined();
    expect(name).toMatch(/^docent\/[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(name.length).toBeLessThanOrEqual(60);
    expect(branchName('docent/', prompt, jobId)).toBe(name);
  });

  test.each([
    ['Fix the install page', 'docent/fix-the-install-page-t6r8w0yb'],
    ['Überprüfe die Größe', 'docent/uberprufe-die-grosse'],
    ["Don't say “simply”", 'docent/dont-say-simply'],
    ['Исправь страницу', 'docent/isprav-stranitsu'],
    ['修复安装页面', 'docent/xiufuanzhuangyemian'],
    ['see https://a.example/x and mend it', 'docent/see-and-mend-it'],
    [`use ${token}`, 'docent/use-redacted-key'],
    [
      'Replace the word “server” with “service” everywhere in the guides',
      'docent/replace-the-word-server-with-service-',
    ],
  ])('%s → %s…', (prompt, start) => {
    expect(branchName('docent/', prompt, jobId)).toMatch(new RegExp(`^${start}`));
  });

  test('two jobs with one instruction have two branches', () => {
    const other = '01JD8Z3QK5V7H2M9X4T6R8W0YC';
    expect(branchName('docent/', 'x', jobId)).not.toBe(branchName('docent/', 'x', other));
  });

  test.each(['', '-', '/', 'a..', '.a/', 'a b/', 'x.lock/', '~'])(
    'the prefix %j makes no bad name',
    (prefix) => {
      expect(gitTakes(branchName(prefix, 'Fix', jobId))).toBe(true);
    },
  );
});

describe('a branch that the caller names', () => {
  test.each(['docs', 'docs/install', 'feature/ä', 'a.b', 'v1.0-x', 'a@b', 'UPPER', 'a-', '字/字'])(
    '%s is taken',
    (name) => {
      expect(branchNameMistake(name)).toBeUndefined();
      expect(gitTakes(name)).toBe(true);
    },
  );

  test.each([
    '',
    '-a',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a.',
    'a..b',
    'a.lock',
    'a.lock/b',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a@{b',
    '@',
    'HEAD',
    'a\nb',
    'a\0b',
    'a\u007fb',
    'a\u202eb',
    'a\u200bb',
    'refs/heads/a',
    '0123456789abcdef0123456789abcdef01234567',
    'x'.repeat(201),
  ])('%j is refused', (name) => {
    expect(branchNameMistake(name)).toEqual(expect.any(String));
  });

  test('whatever git refuses, we refuse', () => {
    const letters = ['..', '.lock', '@{', '//'].concat(
      'ab./@{}-~^:?*[\\ \t\u007fHEADlock'.split(''),
    );
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const names = Array.from({ length: 400 }, () =>
      Array.from({ length: 1 + random(5) }, () => letters[random(letters.length)]).join(''),
    );
    const wrong = names.filter((name) => branchNameMistake(name) === undefined && !gitTakes(name));
    expect(wrong).toEqual([]);
    expect(names.filter((name) => branchNameMistake(name) === undefined).length).toBeGreaterThan(
      20,
    );
  });
});
