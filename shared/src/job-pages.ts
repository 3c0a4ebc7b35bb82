/** What people see of a job and of a pull request of a local repository. Not in the service document. */
import { z } from 'zod';
import { AgentJob } from './agent.ts';

const count = z.number().int();
const time = z.string();

export const FileDiff = z.object({
  path: z.string(),
  /** Where it was before, if it was moved. */
  from: z.string().optional(),
  kind: z.enum(['added', 'modified', 'deleted', 'renamed']),
  /**
   * `binary`: no text. `too-large`: a person would not read it. `too-long`: counted, but without its lines,
   * because the files before it have enough.
   */
  content: z.enum(['text', 'binary', 'too-large', 'too-long']),
  added: count,
  removed: count,
  hunks: z.array(
    z.object({
      beforeStart: count,
      beforeLines: count,
      afterStart: count,
      afterLines: count,
      lines: z.array(
        z.object({
          kind: z.enum(['context', 'added', 'removed']),
          /** `isChanged`: not in the line that it took the place of. */
          pieces: z.array(z.object({ text: z.string(), isChanged: z.boolean() })),
          before: count.optional(),
          after: count.optional(),
          /** The last one of a file that doesn't end with a line break. */
          isUnended: z.boolean(),
        }),
      ),
    }),
  ),
});
export type FileDiff = z.output<typeof FileDiff>;

export const LocalPull = z.object({
  number: count,
  title: z.string(),
  state: z.enum(['open', 'merged', 'closed']),
  isDraft: z.boolean(),
  branch: z.string(),
  base: z.string(),
  createdAt: time,
  endedAt: time.nullable(),
});
export type LocalPull = z.output<typeof LocalPull>;

/** Newest first. `isLocal`: the repository is on the machine of the service, and has its pull requests here. */
export const LocalPullsReply = z.object({ isLocal: z.boolean(), pulls: z.array(LocalPull) });
export type LocalPullsReply = z.output<typeof LocalPullsReply>;

export const JobView = z.object({
  job: AgentJob.extend({
    project: z.string(),
    baseBranch: z.string().nullable(),
    isCancelRequested: z.boolean(),
    /** Whether a language model reads instructions in words. */
    takesWords: z.boolean(),
  }),
  /** The first line of the instruction if the job has no title. */
  title: z.string(),
  /** Null: not known, because the pull request is on another host. */
  pullState: LocalPull.shape.state.nullable(),
  /** Changes that aren't in a pull request: of a job that works or failed. */
  files: z.array(FileDiff),
});
export type JobView = z.output<typeof JobView>;

export const PullView = z.object({
  project: z.string(),
  pull: LocalPull,
  /** Markdown. */
  body: z.string(),
  /** The commit that is shown, and that a merge takes. Null: it's gone. */
  head: z.string().nullable(),
  commits: z.array(z.object({ id: z.string(), author: z.string(), title: z.string() })),
  files: z.array(FileDiff),
  /** Files that aren't shown. */
  moreFiles: count,
  /** Why there are no changes to show. */
  why: z.string().nullable(),
  /** Markdown files after the change, as far as there is room. */
  previews: z.array(z.object({ path: z.string(), text: z.string() })),
  /** Null: it's merged, or a branch is gone. */
  conflicts: z.array(z.string()).nullable(),
  job: z.object({ id: z.string(), title: z.string() }).nullable(),
});
export type PullView = z.output<typeof PullView>;

/** The commit that the person has seen: another one isn't merged. */
export const MergeRequest = z.strictObject({ head: z.string().regex(/^[0-9a-f]{40,64}$/) });

export const PullReply = z.object({
  pull: LocalPull,
  /** Whether a site is indexed from the branch that it went into. */
  isIndexed: z.boolean(),
});
export type PullReply = z.output<typeof PullReply>;

/** What the token of a shared link opens. */
export const SharedReply = z.discriminatedUnion('page', [
  z.object({ page: z.literal('job'), view: JobView }),
  z.object({ page: z.literal('pull'), view: PullView }),
]);
export type SharedReply = z.output<typeof SharedReply>;
