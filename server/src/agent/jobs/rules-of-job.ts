import type { PathRules } from '../workspace/path-policy.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import type { Job } from './job.ts';

/**
 * The project's settings as they hold for one job. What a reader's words have set in motion is always a
 * draft that a person looks at, and touches only the page that they are about.
 */
export function rulesOfJob(
  project: Project,
  job: Pick<Job, 'origin' | 'paths'>,
): Project & { paths: PathRules } {
  return {
    ...project,
    ...(job.origin === 'feedback' && { draft: 'always' }),
    paths: { ...project.paths, ...(job.paths !== null && { within: job.paths }) },
  };
}
