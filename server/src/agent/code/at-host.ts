/** Where code is at its host. */
import {
  type Hosted,
  readProjectAddress,
  type RepositoryAddress,
  repositoryPage,
} from '../../platform/config/repository-address.ts';

/** Another repository at the project's host; `undefined`: it's elsewhere. */
export function atSameHost(
  project: Hosted & { repository?: string | undefined },
  other: string,
): RepositoryAddress | undefined {
  const home = readProjectAddress({ ...project, repository: project.repository ?? '' });
  const found = readProjectAddress({ ...project, repository: other });
  return 'mistake' in home || 'mistake' in found || home.apiUrl !== found.apiUrl
    ? undefined
    : found;
}

/** Of hosts that everybody knows. */
const kinds: Record<string, 'github' | 'gitea' | 'gitlab'> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'codeberg.org': 'gitea',
};
const files = { github: 'blob', gitea: 'src/commit', gitlab: '-/blob' };

/** A line at its host, for browsers; null: it isn't known what kind of host that is. */
export function linePage(
  project: Hosted & { repository?: string | undefined },
  repository: string,
  { commit, path, line }: { commit: string; path: string; line: number },
): string | null {
  const page = repositoryPage(repository);
  if (page === undefined) return null;
  const home = project.gitea ? 'gitea' : project.gitlab ? 'gitlab' : 'github';
  const kind = atSameHost(project, repository) ? home : kinds[new URL(page).host];
  if (kind === undefined) return null;
  const names = path.split('/').map(encodeURIComponent).join('/');
  return `${page}/${files[kind]}/${commit}/${names}#L${line}`;
}
