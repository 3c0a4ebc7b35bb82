/** Runs all checks of a single page. */
import type { ChecksConfig } from '../../platform/config/project-config.ts';
import type { DocsState } from './docs-state.ts';
import type { Finding } from './finding.ts';
import {
  findFrontmatterFindings,
  type FrontmatterSchema,
  readSchema,
} from './frontmatter-findings.ts';
import { findLinkFindings, type History } from './link-findings.ts';
import {
  findFenceFindings,
  findIncludeFindings,
  findMdxFindings,
  findUnread,
} from './syntax-findings.ts';

export interface PageOptions {
  settings: ChecksConfig;
  /** Paths that the change affects. */
  changed: ReadonlySet<string>;
  schema: FrontmatterSchema | undefined;
  /** Without it, findings have no suggestions. */
  history?: History;
}

export async function openSchema(
  { frontmatter }: ChecksConfig,
  state: DocsState,
): Promise<{ schema: FrontmatterSchema | undefined } | { problem: string }> {
  return typeof frontmatter === 'string' ? readSchema(frontmatter, state) : { schema: undefined };
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
