/** Rewrites links and navigation entries wherever the checks know what to write instead. */
import type { DocsProblem } from '@docent/shared/agent-checks';
import type { CommandOf } from '@docent/shared/agent-commands';
import { checkAll, checkChange, type ChecksInput } from '../checks/check-docs.ts';
import { nameSome } from '../../platform/text.ts';
import { ChecksConfig } from '../../platform/config/project-config.ts';
import { attempt, type CommandContext, openDocs, type Outcome, pagesIn } from './context.ts';

/** Always the checks of links and navigation, and no others. */
const checks = ChecksConfig.parse({ frontmatter: false, fences: false, mdx: false });
/** One fix can bring up another problem, and a check lists a limited number at once. */
const maxPasses = 50;
const maxNamed = 10;
const maxProblems = 5_000;

const checksInput = (context: CommandContext): ChecksInput => ({
  ...context,
  project: { ...context.project, checks },
});

export async function fixLinks(
  { path }: CommandOf<'fix-links'>,
  context: CommandContext,
): Promise<Outcome> {
  const pages = new Set(await pagesIn(path, await openDocs(context)));
  const [only] = pages;
  const glob = path === undefined ? undefined : pages.size === 1 ? only : '**';
  const fixed = await fixAll(context, async () => {
    const found = await checkAll(checksInput(context), { glob, limit: maxProblems });
    return found.problems.filter((one) => path === undefined || pages.has(one.path));
  });
  if (fixed.done.length > 0) return fixed;
  const where = path === undefined ? '' : ` in ${path}`;
  const nothing =
    fixed.open.length > 0
      ? `No broken link${where} has one clear target, so nothing changed.`
      : `No link${where} is broken, so nothing changed.`;
  return { ...fixed, done: [nothing] };
}

export function followLinks(context: CommandContext): Promise<Outcome> {
  return fixAll(context, async () => (await checkChange(checksInput(context))).problems);
}

async function fixAll(
  context: CommandContext,
  find: () => Promise<readonly DocsProblem[]>,
): Promise<Outcome> {
  const paths = new Set<string>();
  const refused = new Map<string, string>();
  let count = 0;
  for (let pass = 1; ; pass += 1) {
    const problems = await find();
    const before = count;
    for (const [path, own] of Map.groupBy(problems, (problem) => problem.path)) {
      if (pass > maxPasses || refused.has(path)) continue;
      const plain = own.every(({ instead }) => instead === undefined);
      if (plain) continue;
      const reason = await attempt(async () => {
        const { text } = await context.files.read(path);
        const spans = spansOf(text, own);
        if (spans.length === 0) return;
        await context.files.write(path, withSpans(text, spans));
        count += spans.length;
        paths.add(path);
      });
      if (reason !== undefined) refused.set(path, `${path} can't be changed: ${reason}`);
    }
    if (count > before) continue;
    const changed = `Updated ${count} ${count === 1 ? 'link' : 'links'} in ${nameSome([...paths], maxNamed)}.`;
    const left = problems.filter(
      ({ severity, instead }) => severity === 'error' || instead !== undefined,
    );
    return { done: count > 0 ? [changed] : [], open: [...refused.values(), ...left.map(told)] };
  }
}

const told = ({ path, line, message }: DocsProblem) =>
  `${path}${line === undefined ? '' : `:${line}`}: ${message}`;

interface Span {
  start: number;
  end: number;
  text: string;
}

/** Places of the addresses, in order. A line can contain the same link twice, so each place counts once. */
function spansOf(text: string, problems: readonly DocsProblem[]): Span[] {
  const lines = text.split('\n');
  const spans: Span[] = [];
  for (const { line = 1, found, instead } of problems) {
    if (found === undefined || instead === undefined) continue;
    const offset = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const isFree = (at: number) =>
      spans.every(({ start, end }) => offset + at >= end || offset + at + found.length <= start);
    const at = placeOf(lines[line - 1] ?? '', found, isFree);
    if (at !== undefined)
      spans.push({ start: offset + at, end: offset + at + found.length, text: instead });
  }
  return spans.toSorted((a, b) => a.start - b.start);
}

/** An address follows a parenthesis, a quote, or an angle bracket; in definitions and lists, a space. */
function placeOf(line: string, found: string, isFree: (at: number) => boolean): number | undefined {
  for (const opening of [/[("'<={]/, /[\s:]|^$/]) {
    for (let at = line.indexOf(found); at >= 0; at = line.indexOf(found, at + 1)) {
      const isWhole = /^[)"'>\s}]?$/.test(line[at + found.length] ?? '');
      if (isWhole && opening.test(line[at - 1] ?? '') && isFree(at)) return at;
    }
  }
  return undefined;
}

function withSpans(text: string, spans: readonly Span[]): string {
  let changed = '';
  let from = 0;
  for (const { start, end, text: instead } of spans) {
    changed += text.slice(from, start) + instead;
    from = end;
  }
  return changed + text.slice(from);
}
