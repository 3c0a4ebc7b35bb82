/** The results of the documentation checks before a pull request. Not in the service document. */
import { z } from 'zod';

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

export const DocsProblem = z.object({
  check: z.enum(checkNames),
  /** The path in the repository. */
  path: z.string(),
  line: z.number().int().positive().optional(),
  /** One sentence about the problem and, if known, the solution. */
  message: z.string(),
  /** The agent and the reviewers get warnings. They never stop a pull request. */
  severity: z.enum(['error', 'warning']),
  /** The wrong text in the file. */
  found: z.string().optional(),
  /** The text to write instead. */
  instead: z.string().optional(),
});
export type DocsProblem = z.infer<typeof DocsProblem>;

export const ChecksReport = z.object({
  checks: z.array(
    z.object({
      name: z.enum(checkNames),
      status: z.enum(['passed', 'failed', 'skipped']),
      note: z.string().optional(),
    }),
  ),
  /** Only new problems, at most `problemLimit`. */
  problems: z.array(DocsProblem),
  /** The number of new problems over the limit. */
  more: z.number().int().nonnegative(),
  /** The number of problems that existed before the change. */
  old: z.number().int().nonnegative(),
});
export type ChecksReport = z.infer<typeof ChecksReport>;

/** More than this helps neither a model nor a reviewer. */
export const problemLimit = 100;

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

/** Whether the change breaks something. Warnings don't count. */
export function isBroken(report: ChecksReport): boolean {
  return report.checks.some(({ status }) => status === 'failed');
}
