/**
 * Detects regular expressions that can take more than linear time. Readers, pages, repositories, and models
 * choose the texts that most of ours meet, so one such expression can stop the service.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { analyse } from 'scslre';
import { expect, test } from 'vitest';
import { parseSync, Visitor } from 'vite';
import { hostileTexts, patternSteps } from '../support/pattern-steps.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const answerLine = "one line of an answer, in the reader's browser; the limit of tokens bounds it";
const ownPage = 'text of the page that loads the widget, in the same browser';
const ownSetting = "the owner's configuration";

/** Expressions that stay, by file, and what makes them harmless. */
const harmless: Record<string, Record<string, string>> = {
  'server/src/reader/output-filter/brackets.ts': {
    [String.raw`^\(\s*(?:<([^<>\n]*)>|((?:\\[^\s]|[^\s()\\<>]|\((?:\\[^\s]|[^\s()\\<>])*\))*))(?:\s+(?:"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|\((?:\\[^]|[^()\\])*\)))?\s*\)`]:
      'at most 2,200 characters (maxTargetLength), cut before',
  },
  'server/src/platform/config/docs-config.ts': {
    [String.raw`\/\/[^/]*:[^/]*@`]: ownSetting,
    [String.raw`^(pages|redoc|swagger-ui|scalar|stoplight|[/#].*\{.+)$`]: ownSetting,
  },
  'widget/src/panel/reportable-pages.ts': { [String.raw`(?<=.)\/+$`]: ownPage },
  'widget/src/panel/spoken.ts': {
    [String.raw`(?:^|\n)[ \t]*(` +
    '```+|~~~+' +
    String.raw`)[^\n]*\n[\s\S]*?(?:\n[ \t]*\1[^\n]*(?=\n|$)|$)`]:
      "one answer, in the reader's browser; the limit of tokens bounds it",
  },
  'widget/src/page-context/code-text.ts': { [String.raw`[\s\u200b]+$`]: ownPage },
  'widget/src/page-context/page-location.ts': { [String.raw`[#¶§\u200b🔗\s]+$`]: ownPage },
  'widget/src/markdown/mend.ts': {
    [String.raw`!?\[([^[\]]*)\]\([^()\s]*(?:\([^()]*\))?[^()]*$`]: answerLine,
    [String.raw`-\s*:?\s*\|?\s*$`]: answerLine,
    ['^\\s*(?:[-=+*_#>]+|\\d{1,9}[.)]?|`{1,2}|~{1,2}|[-*+] +(?:\\[[ x]?\\]?)?)\\s*$']: answerLine,
  },
  'widget/src/embed/module.ts': { [String.raw`\/*$`]: ownSetting },
};

interface Expression {
  file: string;
  source: string;
  flags: string;
}

/** All literals, and every `new RegExp` of one constant text. */
async function expressions(): Promise<Expression[]> {
  const folders = ['server/src', 'shared/src', 'widget/src'];
  const names = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true })).map(
        (name) => `${folder}/${name.replaceAll('\\', '/')}`,
      ),
    ),
  );
  const files = names.flat().filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));
  const found = await Promise.all(
    files.map(async (file) => {
      const inFile: Expression[] = [];
      const { program } = parseSync(file, await readFile(join(root, file), 'utf8'));
      new Visitor({
        Literal(node) {
          if ('regex' in node) {
            inFile.push({ file, source: node.regex.pattern, flags: node.regex.flags });
          }
        },
        NewExpression({ callee, arguments: given }) {
          const [source, flags] = given.map((one) =>
            one.type === 'Literal' ? one.value : undefined,
          );
          if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return;
          if (typeof source !== 'string') return;
          inFile.push({ file, source, flags: typeof flags === 'string' ? flags : '' });
        },
      }).visit(program);
      return inFile;
    }),
  );
  return found.flat();
}

const reportTypes = { Move: true, Self: true, Trade: true };

test('every regular expression takes linear time, or is known to be harmless', async () => {
  const all = await expressions();
  expect(all.length).toBeGreaterThan(800);
  const slow = all.filter(
    ({ source, flags }) => analyse({ source, flags }, { reportTypes }).reports.length > 0,
  );
  const unknown = slow
    .filter(({ file, source }) => harmless[file]?.[source] === undefined)
    .map(({ file, source }) => `${file}: /${source}/`);
  expect(unknown, 'not linear: bound the repetitions, or read the text by hand').toEqual([]);
  const gone = Object.entries(harmless).flatMap(([file, sources]) =>
    Object.keys(sources)
      .filter((source) => !slow.some((one) => one.file === file && one.source === source))
      .map((source) => `${file}: /${source}/`),
  );
  expect(gone, 'no longer in the file, or no longer slow: remove the entry').toEqual([]);
});

/** By file: expressions that start again and again, and what makes them harmless. */
const bounded: Record<string, Record<string, string>> = {
  'server/src/agent/checks/page-facts.ts': {
    [String.raw`^[ \t]*(?:import|export)\b[^;]{0,2000}?\bfrom\s+['"]([^'"]+)['"]|^[ \t]*import\s+['"]([^'"]+)['"]`]:
      'at most 2,000 characters for each line',
  },
  'server/src/docs/web/page-reader.ts': {
    [String.raw`<meta[^>]+charset=["']?([\w-]+)`]: 'the first 2,048 bytes of a page',
  },
};

/** The texts of which twice as much takes more than twice the steps. */
function slowTexts({ source, flags }: Expression): string[] {
  const expression = new RegExp(source, flags);
  return hostileTexts(expression).filter((piece) => {
    const [once = 0, twice = 0] = [400, 800].map((times) => {
      const text = piece.repeat(times);
      expression.lastIndex = 0;
      const match = expression.exec(text);
      // It reads on behind the match, if at all.
      return match ? 0 : patternSteps(expression, text, 0, match);
    });
    return twice > 2.4 * once + 100;
  });
}

test('no expression that fails reads far again from each of its beginnings', async () => {
  const slow = (await expressions()).filter((one) => slowTexts(one).length > 0);
  const known = (file: string, source: string) =>
    bounded[file]?.[source] ?? harmless[file]?.[source];
  expect(
    slow
      .filter(({ file, source }) => known(file, source) === undefined)
      .map(({ file, source }) => `${file}: /${source}/`),
    'exclude the first character of the beginning from what follows, or bound it',
  ).toEqual([]);
  const gone = Object.entries(bounded).flatMap(([file, sources]) =>
    Object.keys(sources).filter(
      (source) => !slow.some((one) => one.file === file && one.source === source),
    ),
  );
  expect(gone).toEqual([]);
});

test('that search finds what static analysis does not', () => {
  for (const { source, flags } of [
    /<\/script(?=[\s/>])[^>]*>/gi,
    /slugify:.*(?:a|b)/,
    /<a[^>]*>/,
  ]) {
    expect(slowTexts({ file: '', source, flags })).not.toEqual([]);
    expect(analyse({ source, flags }, { reportTypes }).reports).toEqual([]);
  }
  expect(slowTexts({ file: '', source: '<a[^<>]*>', flags: 'g' })).toEqual([]);
});

test('the analysis finds what takes more than linear time', () => {
  for (const { source, flags } of [/\/+$/, /(a+)+b/, /^\s*\s*x/, /\[(?=[^\]]*\]\()/g]) {
    expect(analyse({ source, flags }, { reportTypes }).reports).not.toEqual([]);
  }
});
