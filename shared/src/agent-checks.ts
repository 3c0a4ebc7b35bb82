/** The results of the documentation checks before a pull request. Not in the service document. */
import { z } from 'zod';
import { checkNames } from './check-words.ts';

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

/** Whether the change breaks something. Warnings don't count. */
export function isBroken(report: ChecksReport): boolean {
  return report.checks.some(({ status }) => status === 'failed');
}
