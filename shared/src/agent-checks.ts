/** What the checks of the documentation found before a pull request. Not in the service document; the words are ours. */
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

/** For people: on pages and in pull requests. */
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
  /** Of the file in the repository. */
  path: z.string(),
  line: z.number().int().positive().optional(),
  /** One sentence that says what is wrong and, where it is known, what to write instead. */
  message: z.string(),
  /** A warning is told to the agent and to reviewers, and never stops a pull request. */
  severity: z.enum(['error', 'warning']),
  /** The text that is wrong, as it stands in the file. */
  found: z.string().optional(),
  /** What to write in its place. */
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
  /** Only what the change brought in; at most `problemLimit`. */
  problems: z.array(DocsProblem),
  /** New problems beyond the limit, which are not listed. */
  more: z.number().int().nonnegative(),
  /** Problems of the files looked at that were there before; nobody is blamed for them. */
  old: z.number().int().nonnegative(),
});
export type ChecksReport = z.infer<typeof ChecksReport>;

/** More than this helps neither a model nor a reviewer. */
export const problemLimit = 100;

/** What a reviewer has to know of: a check that the project has none of, or has switched off, says nothing. */
export function toldChecks({ checks }: ChecksReport): ChecksReport['checks'] {
  return checks.filter(({ status, note }) => status !== 'skipped' || isNews(note));
}

/** Why a check was skipped, where that is no news: it is so for each change of the project. */
export const skipNotes = {
  off: 'switched off',
  noNavigation: 'there is no navigation that can be read as data',
} as const;

const isNews = (note: string | undefined) =>
  note !== undefined && !Object.values<string>(skipNotes).includes(note);

/** Whether the change breaks something: warnings do not. */
export function isBroken(report: ChecksReport): boolean {
  return report.checks.some(({ status }) => status === 'failed');
}
