/** Finds syntax that would fail a build: code blocks without an end, and invalid MDX. */
import { withoutFrontmatter } from '../../docs/markdown/frontmatter.ts';
import { replaceHeadingIds } from '../../docs/markdown/parse-markdown.ts';
import { replaceBetween } from '../../platform/text.ts';
import { finding, type Finding } from './finding.ts';
import type { PageFacts } from './page-facts.ts';

export function findFenceFindings({ path, openFence }: PageFacts): Finding[] {
  if (openFence === undefined) return [];
  const message =
    'The code block that starts here is not closed. After the code, add a line with the same ` or ~ characters and nothing else.';
  return [finding({ check: 'fences', path, line: openFence, message, key: 'open' })];
}

export async function findMdxFindings(
  { path, text }: PageFacts,
  isMarkdownMdx: boolean,
): Promise<Finding[]> {
  if (!/\.mdx$/i.test(path) && !isMarkdownMdx) return [];
  const { strict } = await import('./strict-mdx.ts');
  try {
    // Sites process comments and `{#id}` before they parse MDX.
    strict.parse(masked(text));
    return [];
  } catch (error) {
    const { reason, line } = error as { reason?: string; line?: number | null };
    const message = `This is not valid MDX: ${firstSentence(reason ?? String(error))}`;
    return [
      finding({
        check: 'mdx',
        path,
        line: line ?? undefined,
        message,
        // If the page was invalid before, another mistake is not new.
        key: 'invalid',
      }),
    ];
  }
}

function masked(text: string): string {
  const withoutIds = replaceHeadingIds(withoutFrontmatter(text), (id) => ` ${id} `);
  return replaceBetween(withoutIds, ['<!--', '-->'], (_, comment) =>
    comment.replaceAll(/[^\n]/g, ' '),
  );
}

function firstSentence(reason: string): string {
  const text = reason.replaceAll(/\s+/g, ' ').slice(0, 300).trim();
  return /[.!?)]$/.test(text) ? text : `${text}.`;
}
