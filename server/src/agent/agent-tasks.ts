/** How the agent looks at foreign pages: plain data in, plain data out, so that a worker can do it. */
import { expandPage } from '../docs/includes/include-files.ts';
import { readFrontmatter } from '../docs/markdown/frontmatter.ts';
import { type PageInput, readFacts } from './checks/page-facts.ts';
import { findMdxProblem } from './checks/strict-mdx.ts';
import { activeContentIn } from './workspace/active-content.ts';
import { diffFiles, unifiedDiff } from './workspace/diff.ts';
import { mergeText } from './publish/rebase.ts';
import { hostsBroughtIn, linkedHostsIn } from './workspace/new-hosts.ts';

interface File {
  path: string;
  text: string;
}

export const agentTasks = {
  frontmatter: readFrontmatter,
  includes: expandPage,
  pageFacts(page: PageInput) {
    // Whoever asks has the text.
    const { text: _, missingIncludes: __, ...facts } = readFacts(page);
    return facts;
  },
  mdxProblem: findMdxProblem,
  activeContent: ({ path, text, isMarkdownMdx }: File & { isMarkdownMdx: boolean }) =>
    activeContentIn(path, text, isMarkdownMdx),
  linkedHosts: ({ path, text }: File) => linkedHostsIn(path, text),
  hostsBrought: ({ path, before, after }: { path: string; before: string; after: string }) =>
    hostsBroughtIn(path, before, after),
  mergeText,
  diffFiles,
  unifiedDiff,
};
