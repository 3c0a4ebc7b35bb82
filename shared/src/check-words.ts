/** The documentation checks for people. Browsers load it, so it's without schemas. */
import type { ChecksReport } from './agent-checks.ts';

export const checkNames = [
  'links',
  'anchors',
  'images',
  'frontmatter',
  'navigation',
  'fences',
  'mdx',
] as const;
export type CheckName = (typeof checkNames)[number];

/** Names for people, on pages and in pull requests. */
export const checkTitles: Readonly<Record<CheckName, string>> = {
  links: 'Links',
  anchors: 'Anchors',
  images: 'Images',
  frontmatter: 'Frontmatter',
  navigation: 'Navigation',
  fences: 'Code blocks',
  mdx: 'MDX',
};

/** The checks to show to reviewers. Omits checks that are off or don't apply to the project. */
export function toldChecks({ checks }: ChecksReport): ChecksReport['checks'] {
  return checks.filter(({ status, note }) => status !== 'skipped' || isNews(note));
}

/** Reasons to skip a check that are the same for every change of a project. */
export const skipNotes = {
  off: 'switched off',
  noNavigation: 'there is no navigation that can be read as data',
} as const;

const isNews = (note: string | undefined) =>
  note !== undefined && !Object.values<string>(skipNotes).includes(note);
