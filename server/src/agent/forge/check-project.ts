import { failureTable } from '@docent/shared/agent-failures';
import { JobError } from '../../platform/errors.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import type { Forge } from './forge.ts';

/** One thing that a job needs of its project's repository. */
export interface ProjectCheck {
  passed: boolean;
  /** What was found, or what is wrong. */
  says: string;
  /** What to do about it. */
  remedy?: string;
}

/** Whether jobs of a project can work: access, its base branch, its documentation. Ends at the first that fails. */
export async function* checkProject(
  project: Project,
  forProject: (project: Project) => Forge,
  signal?: AbortSignal,
): AsyncGenerator<ProjectCheck> {
  try {
    const forge = forProject(project);
    const defaultBranch = await forge.defaultBranch(signal);
    yield passed(`${forge.repository} can be read`);
    await forge.assertWritable(signal);
    yield passed('commits and pull requests can be written');
    const branch = project.baseBranch ?? defaultBranch;
    const commit = await forge.tip(branch, signal);
    if (commit === undefined) {
      yield failed(`there is no branch “${branch}”`, failureTable.base_branch_missing.remedy);
      return;
    }
    const whose = project.baseBranch === undefined ? ', the default branch' : '';
    yield passed(`pull requests go to “${branch}”${whose}`);
    const { entries } = await forge.openTree(commit, signal);
    const root = project.docsRoot === '' ? '' : `${project.docsRoot}/`;
    const inside = [...entries.keys()].filter((path) => path.startsWith(root));
    const pages = inside.filter((path) => /\.mdx?$/i.test(path));
    const where = root === '' ? 'the repository' : root;
    if (pages.length > 0) {
      yield passed(`${pages.length} of ${inside.length} files in ${where} are pages`);
    } else {
      yield failed(
        `there is no Markdown in ${where}`,
        'Correct `docsRoot` in the project: it is the folder of the documentation.',
      );
    }
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    yield failed(error.message, failureTable[error.code].remedy);
  }
}

const passed = (says: string): ProjectCheck => ({ passed: true, says });
const failed = (says: string, remedy: string): ProjectCheck => ({ passed: false, says, remedy });
