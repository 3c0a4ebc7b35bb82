/** Checks a change of the documentation before it becomes a pull request, or the whole documentation. */
import { type ChecksReport, type DocsProblem, problemLimit } from '@docent/shared/agent-checks';
import { type CheckName, checkNames, skipNotes } from '@docent/shared/check-words';
import type { ChecksConfig } from '../../platform/config/project-config.ts';
import { isIn } from '../../docs/generators/paths.ts';
import { nameSome } from '../../platform/text.ts';
import { createPauses } from '../../platform/pauses.ts';
import type { DocsFiles, FileChange } from '../workspace/tree.ts';
import { compileGlob } from '../workspace/globs.ts';
import { findAffected, findAddressesInUse } from './affected-pages.ts';
import {
  createParsedPages,
  type DocsState,
  isDocsFile,
  openState,
  type ParsedPages,
  type StateOptions,
} from './docs-state.ts';
import { finding, type Finding, newOnes } from './finding.ts';
import { findIncludeFindings, findLinkFindings, type History } from './link-findings.ts';
import {
  codeNavigations,
  findStaleNames,
  findBrokenEntries,
  findUnlisted,
  touchesNavigation,
} from './navigation-findings.ts';
import {
  findFrontmatterFindings,
  type FrontmatterSchema,
  readSchema,
} from './frontmatter-findings.ts';
import type { PageFacts } from './page-facts.ts';
import type { MdxProblem } from './strict-mdx.ts';

export interface ChecksInput {
  files: { original(): DocsFiles; view(): DocsFiles; changes(): Promise<readonly FileChange[]> };
  /** Without `docsRoot`, the documentation is the whole repository. */
  project: { docsRoot: string; checks: ChecksConfig };
  /** Pages that earlier checks of the same job parsed. */
  parsed?: ParsedPages | undefined;
  signal?: AbortSignal | undefined;
  run?: StateOptions['run'];
}

/**
 * Checks the files that a change touches and, if something was removed or renamed, the pages that link to
 * it. Problems that existed before are counted, not listed.
 */
export async function checkChange(input: ChecksInput): Promise<ChecksReport> {
  const { changes, root, settings, before, after, history } = await open(input);
  const report = createReport();
  // A change isn't checked by rules that it writes itself.
  const schema = await readSchema(settings, before);
  if ('problem' in schema) report.skip('frontmatter', schema.problem);
  const options: PageOptions = {
    settings,
    changed: new Set(
      changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])),
    ),
    schema: 'schema' in schema ? schema.schema : undefined,
  };

  const touched = changes.filter(({ path, kind }) => kind !== 'deleted' && isDocsFile(path, root));
  const pause = createPauses();
  for (const { path } of touched) {
    const now = await findPageFindings(path, after, { ...options, history });
    if (now.length > 0) {
      const origin = history.originOf(path);
      report.add(now, origin === undefined ? [] : await findPageFindings(origin, before, options));
    }
    await pause();
  }
  report.drop(await findAddressesInUse(report.found(), before, options.changed));
  if (settings.links || settings.anchors || settings.images) {
    report.add(await findAffected(changes, after, settings, history), []);
  }
  if (!settings.navigation) report.skip('navigation');
  else if (touchesNavigation(changes, root)) {
    const { findings, isKnown } = await findBrokenEntries(after, history);
    if (!isKnown) {
      const [code] = codeNavigations(after);
      report.skip('navigation', code === undefined ? skipNotes.noNavigation : `${code} is code`);
    }
    if (findings.length > 0) report.add(findings, (await findBrokenEntries(before)).findings);
    report.add(await findUnlisted(changes, after), []);
    report.add(await findStaleNames(changes, after, history), []);
  }
  const unread = changes.flatMap(({ path, kind }) =>
    kind !== 'deleted' && isIn(path, root) && otherFormats.test(path) ? [path] : [],
  );
  if (unread.length > 0) {
    const note = `no check reads ${nameSome(unread, 3)}`;
    if (touched.length > 0) report.note(note);
    else for (const name of checkNames) report.skip(name, note);
  }
  return report.end(settings);
}

/** Pages that only their generator can read. */
const otherFormats = /\.(rst|adoc|asciidoc|ipynb)$/i;

/** Finds all problems, old and new: on every page below the docs folder, or on those that match a pattern. */
export async function checkAll(
  input: ChecksInput,
  { glob, limit = 500 }: { glob?: string | undefined; limit?: number } = {},
): Promise<{ problems: DocsProblem[]; more: number }> {
  const { settings, after, history } = await open(input);
  const schema = await readSchema(settings, after);
  const options = {
    settings,
    changed: new Set<string>(),
    schema: 'schema' in schema ? schema.schema : undefined,
    history,
  };
  const isMeant = glob === undefined ? () => true : compileGlob(glob);
  const found: Finding[] = [];
  const pause = createPauses();
  for (const path of after.site.pages.filter((page) => isMeant(page))) {
    input.signal?.throwIfAborted();
    found.push(...(await findPageFindings(path, after, options)));
    await pause();
  }
  const problems = found.slice(0, limit);
  if (settings.navigation && glob === undefined) {
    problems.push(...(await findBrokenEntries(after, history)).findings);
  }
  return { problems: problems.map(toProblem), more: Math.max(0, found.length - limit) };
}

interface PageOptions {
  settings: ChecksConfig;
  changed: ReadonlySet<string>;
  schema: FrontmatterSchema | undefined;
  /** Without it, findings have no suggestions. */
  history?: History;
}

async function findPageFindings(
  path: string,
  state: DocsState,
  options: PageOptions,
): Promise<Finding[]> {
  const { settings, history } = options;
  const facts = await state.facts(path);
  if (!facts) return [];
  return [
    ...findUnread(facts),
    ...(settings.fences ? findFenceFindings(facts) : []),
    ...(settings.mdx ? findMdxFindings(path, await state.mdxProblem(facts)) : []),
    ...(settings.frontmatter === false ? [] : await findFrontmatterFindings(facts, state, options)),
    ...(settings.links ? findIncludeFindings(facts) : []),
    ...(await findLinkFindings(facts, state, { settings, history })),
  ];
}

function findFenceFindings({ path, openFence }: PageFacts): Finding[] {
  if (openFence === undefined) return [];
  const message =
    'The code block that starts here is not closed. After the code, add a line with the same ` or ~ characters and nothing else.';
  return [finding({ check: 'fences', path, line: openFence, message, key: 'open' })];
}

function findMdxFindings(path: string, problem: MdxProblem | undefined): Finding[] {
  if (!problem) return [];
  const message = `This is not valid MDX: ${firstSentence(problem.reason)}`;
  // If the page was invalid before, another mistake is not new.
  return [finding({ check: 'mdx', path, line: problem.line, message, key: 'invalid' })];
}

/** A page that takes too long to read takes too long to build, too. */
function findUnread({ path, unread }: PageFacts): Finding[] {
  const message = `This page could not be checked: ${unread}. Make it simpler, or split it.`;
  return unread === undefined ? [] : [finding({ check: 'links', path, message, key: 'unread' })];
}

function firstSentence(reason: string): string {
  const text = reason.replaceAll(/\s+/g, ' ').slice(0, 300).trim();
  return /[.!?)]$/.test(text) ? text : `${text}.`;
}

async function open({ files, project, parsed = createParsedPages(), signal, run }: ChecksInput) {
  signal?.throwIfAborted();
  const { docsRoot: root, checks: settings } = project;
  const changes = await files.changes();
  const after = await openState(files.view(), root, { signal, parsed, run });
  const before = await openState(files.original(), root, { signal, parsed, run });
  return { changes, root, settings, before, after, history: createHistory(changes, before) };
}

function createHistory(changes: readonly FileChange[], before: DocsState): History {
  const origins = new Map(
    changes.flatMap(({ path, from }) => (from === undefined ? [] : [[path, from] as const])),
  );
  const moves = new Map([...origins].map(([path, from]) => [from, path]));
  return {
    before,
    originOf: (path) => origins.get(path) ?? (before.site.files.has(path) ? path : undefined),
    movedTo: (path) => moves.get(path),
  };
}

function createReport() {
  let problems: Finding[] = [];
  let old = 0;
  const skipped = new Map<CheckName, string | undefined>();
  const notes: string[] = [];
  return {
    add(now: readonly Finding[], before: readonly Finding[]): void {
      const fresh = newOnes(now, before);
      old += now.length - fresh.length;
      problems.push(...fresh);
    },
    found: (): readonly Finding[] => problems,
    /** Counts problems as old that the change didn't cause. */
    drop(others: ReadonlySet<Finding>): void {
      old += others.size;
      problems = problems.filter((problem) => !others.has(problem));
    },
    skip(name: CheckName, note?: string): void {
      skipped.set(name, note);
    },
    /** Of checks that passed. */
    note: (note: string) => void notes.push(note),
    end(settings: ChecksConfig): ChecksReport {
      const checks = checkNames.map((name): ChecksReport['checks'][number] => {
        const own = problems.filter(({ check }) => check === name);
        const errors = own.filter(({ severity }) => severity === 'error').length;
        if (errors > 0) return { name, status: 'failed', note: `${errors} new` };
        if (settings[name] === false) return { name, status: 'skipped', note: skipNotes.off };
        if (skipped.has(name)) {
          const note = skipped.get(name);
          return { name, status: 'skipped', ...(note === undefined ? {} : { note }) };
        }
        const said = [...(own.length > 0 ? [`${own.length} warned of`] : []), ...notes].join('; ');
        return { name, status: 'passed', ...(said !== '' && { note: said }) };
      });
      const listed = problems.toSorted(inOrder);
      return {
        checks,
        problems: listed.slice(0, problemLimit).map(toProblem),
        more: Math.max(0, problems.length - problemLimit),
        old,
      };
    },
  };
}

function inOrder(one: DocsProblem, other: DocsProblem): number {
  if (one.severity !== other.severity) return one.severity === 'error' ? -1 : 1;
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return (one.line ?? 0) - (other.line ?? 0);
}

function toProblem(found: Finding): DocsProblem {
  const { key: _, ...problem } = found;
  return problem;
}
