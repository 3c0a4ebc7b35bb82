import { buildInstructions } from '../loop/prompts.ts';
import { readGuidance } from '../loop/guidance.ts';
import type { Workplace } from './workplace.ts';

/** The system prompt of a round, as its project, its repository and its work so far stand. */
export async function instructionsFor(
  { job, project, files, signal }: Workplace,
  systemTexts: readonly string[],
  siteUrl: string | undefined,
): Promise<string> {
  return buildInstructions({
    docsRoot: project.docsRoot,
    ...(siteUrl !== undefined && { siteUrl }),
    paths: job.paths,
    guidance: await readGuidance(files.original(), project.docsRoot, signal),
    systemTexts,
    pull: job.pull ?? undefined,
    changes: (await files.changes()).map(({ path, kind }) => ({ path, kind })),
  });
}
