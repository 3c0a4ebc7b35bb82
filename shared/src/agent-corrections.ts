/** What a job changes because code says otherwise. Not in the service document. */
import { z } from 'zod';

/** A place in a code repository of the project, which exists at that commit. */
export const CodePlace = z.object({
  repository: z.string(),
  commit: z.string(),
  path: z.string(),
  line: z.int(),
  /** The line at its host; null: it isn't known how the host names it. */
  url: z.string().nullable(),
});
export type CodePlace = z.output<typeof CodePlace>;

export const Correction = z.object({
  /** The run of the job. */
  round: z.int(),
  page: z.string(),
  /** Where the passage began before the run. */
  line: z.int(),
  before: z.string(),
  /** Empty: it's taken out. */
  after: z.string(),
  code: CodePlace,
  /** By a model that saw only these lines. Null until then; what it doesn't agree with isn't proposed. */
  review: z.object({ agrees: z.boolean(), sentence: z.string() }).nullable(),
});
export type Correction = z.output<typeof Correction>;
