import type { ChecksConfig } from '../../platform/config/project-config.ts';
import type { DocsState } from './docs-state.ts';
import { type Finding, finding } from './finding.ts';
import { findFrontmatterFindings, type FrontmatterSchema } from './frontmatter-findings.ts';
import { findLinkFindings, type History } from './link-findings.ts';
import type { PageFacts } from './page-facts.ts';
import type { MdxProblem } from './strict-mdx.ts';

export interface PageOptions {
  settings: ChecksConfig;
  changed: ReadonlySet<string>;
  schema: FrontmatterSchema | undefined;
  /** Without it, findings have no suggestions. */
  history?: History;
}

export async function findPageFindings(
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

export function findFenceFindings({ path, openFence }: PageFacts): Finding[] {
  if (openFence === undefined) return [];
  const message =
    'The code block that starts here is not closed. After the code, add a line with the same ` or ~ characters and nothing else.';
  return [finding({ check: 'fences', path, line: openFence, message, key: 'open' })];
}

export function findMdxFindings(path: string, problem: MdxProblem | undefined): Finding[] {
  if (!problem) return [];
  const message = `This is not valid MDX: ${firstSentence(problem.reason)}`;
  // If the page was invalid before, another mistake is not new.
  return [finding({ check: 'mdx', path, line: problem.line, message, key: 'invalid' })];
}

/** A page that takes too long to read takes too long to build, too. */
export function findUnread({ path, unread }: PageFacts): Finding[] {
  const message = `This page could not be checked: ${unread}. Make it simpler, or split it.`;
  return unread === undefined ? [] : [finding({ check: 'links', path, message, key: 'unread' })];
}

/** An import that leads to no file is found as a link. */
export function findIncludeFindings({ path, missingIncludes, links }: PageFacts): Finding[] {
  const imports = links.flatMap(({ kind, url }) => (kind === 'import' ? [` from "${url}"`] : []));
  return missingIncludes
    .filter(({ file, isMissing }) => file === path && isMissing)
    .filter(({ written }) => !imports.some((end) => written.endsWith(end)))
    .map(({ line, written, reason }) =>
      finding({
        check: 'links',
        path,
        line,
        message: `The site can't include ${written}: ${reason}. Include a file of the repository, or remove this line.`,
        found: written,
      }),
    );
}

function firstSentence(reason: string): string {
  const text = reason.replaceAll(/\s+/g, ' ').slice(0, 300).trim();
  return /[.!?)]$/.test(text) ? text : `${text}.`;
}
