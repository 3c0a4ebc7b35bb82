/** Whether readers' reports become agent jobs. */
import { z } from 'zod';
import { count, oneOf, write } from './fields.ts';
import type { Config } from './schema.ts';

export const FeedbackConfig = z
  .strictObject(
    {
      /** `after-review`: someone with an admin key decides. `at-once`: a draft pull request without a decision. */
      createJobs: oneOf(['never', 'after-review', 'at-once']).default('never'),
      /** Reports that start a job, of one site in one day (UTC). */
      perDay: count('a number of reports').default(10),
      /** The same, of one reader and of one address. */
      perReaderAndDay: count('a number of reports').default(2),
      /** The minimum length of a reader's note. */
      minNoteCharacters: count('a number of characters').default(20),
    },
    write('an object such as { createJobs: "after-review" }'),
  )
  .prefault({});
export type FeedbackConfig = z.infer<typeof FeedbackConfig>;

/** Reports need a project with a language model: commands can't act on what readers write. */
export function feedbackMistakes({
  sites,
  projects,
}: Pick<Config, 'sites' | 'projects'>): string[] {
  return sites.flatMap(({ domain, feedback }, index) => {
    if (feedback.createJobs === 'never') return [];
    const at = `sites.${index}.feedback.createJobs`;
    const project = projects.find(({ site }) => site === domain);
    if (!project)
      return [`${at} needs a project of this site; add one to "projects" with site: "${domain}"`];
    return [
      ...(project.repository === undefined
        ? [`${at} needs the repository of the project "${project.id}"; set its "repository"`]
        : []),
      ...(project.model === undefined
        ? [
            `${at} needs a language model that understands what readers write; set "model" of the project "${project.id}"`,
          ]
        : []),
    ];
  });
}
