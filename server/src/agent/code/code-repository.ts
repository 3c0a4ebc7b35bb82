/** Code that documentation explains: repositories that are read at a commit, and never written. */
import type { Environment } from '../../platform/config/environment.ts';
import type { CodeRepository as Settings } from '../../platform/config/project-config.ts';
import { isAddress } from '../../platform/config/repository-address.ts';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError } from '../../platform/errors.ts';
import { openRepository } from '../../platform/git/repository.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import { repositoriesFolder } from '../../platform/store/data-folder.ts';
import { historyOf, isAncestor } from '../forge/bare-history.ts';
import type { Commit } from '../forge/forge.ts';
import { readPaths } from '../forge/bare-tree.ts';
import type { FileChange, Tree } from '../workspace/tree.ts';

/** Files of one change whose contents are read. */
const maxChanged = 200;

export interface CodeChange {
  /** Where the change begins: the earlier commit, or what both go back to. `undefined`: they share nothing. */
  from: string | undefined;
  /** The earlier commit is no longer part of the branch. */
  isRewritten: boolean;
  /** Newest first. */
  commits: Commit[];
}

export type OpenCode = ReturnType<typeof createOpenCode>;

export function createOpenCode(deps: {
  config: Pick<Config, 'server'>;
  environment: Pick<Environment, 'secret'>;
}) {
  const { dataFolder } = deps.config.server;
  const folder = repositoriesFolder(dataFolder);

  /** Rejects with a sentence if the project names no such repository, or it can't be read. */
  return async function openCode(project: Project, name: string, signal: AbortSignal) {
    const settings = project.code.find((one) => one.name === name);
    if (!settings) {
      throw new DocentError(
        'conflict',
        `The project ${project.id} has no code repository “${name}”; add it to its \`code\`.`,
      );
    }
    const { repository: url, branch: ref, tokenEnv, username } = settings;
    const token = tokenEnv === undefined ? undefined : deps.environment.secret(tokenEnv);
    const privateHosts = hostsOf(settings);
    const repository = await openRepository({
      url,
      ref,
      username,
      token,
      folder,
      privateHosts,
      signal,
    });

    return {
      ...repository,

      async tree(commit: string): Promise<Tree> {
        await repository.fetch(commit);
        const listed = await repository.files(commit, '');
        const entries = new Map(
          listed.map(({ path, oid }) => [path, { path, oid, mode: '100644' as const }]),
        );
        const read: Tree['read'] = (paths) =>
          readPaths(entries, paths, (oids) => repository.read(oids));
        return { commit, entries, read };
      },

      /** The newest commit that is older than a time; `undefined`: none. */
      async commitBefore(commit: string, time: Date): Promise<string | undefined> {
        const git = await repository.history([commit]);
        return git && historyOf(async () => git).commitBefore(commit, time, signal);
      },

      async changeSince(old: string, young: string): Promise<CodeChange> {
        const git = await repository.history([young, old]);
        if (git === undefined) return { from: undefined, isRewritten: true, commits: [] };
        const history = historyOf(async () => git);
        const isRewritten = !(await isAncestor(git, { old, young }, signal));
        const from = isRewritten ? await history.mergeBase(old, young, signal) : old;
        if (from === undefined) return { from, isRewritten, commits: [] };
        return { from, isRewritten, commits: await history.commitsBetween(from, young, signal) };
      },

      /** Files that differ between two commits, with their contents. */
      async changesBetween(before: string, after: string): Promise<FileChange[]> {
        await repository.fetch(before);
        await repository.fetch(after);
        const oidsOf = async (commit: string) =>
          new Map((await repository.files(commit, '')).map(({ path, oid }) => [path, oid]));
        const [old, now] = [await oidsOf(before), await oidsOf(after)];
        const paths = [...new Set([...old.keys(), ...now.keys()])]
          .filter((path) => old.get(path) !== now.get(path))
          .toSorted();
        const read = paths.slice(0, maxChanged);
        const contents = await repository.read(
          read.flatMap((path) => [old.get(path) ?? [], now.get(path) ?? []].flat()),
        );
        return paths.map((path) => {
          const [from, to] = [old.get(path), now.get(path)];
          return {
            path,
            kind: from === undefined ? 'added' : to === undefined ? 'deleted' : 'modified',
            before: from === undefined ? undefined : contents.get(from),
            after: to === undefined ? undefined : contents.get(to),
          };
        });
      },
    };
  };
}

/** Its address is in the configuration, so its owner means it, wherever it is. */
function hostsOf({ repository }: Settings): string[] {
  if (!isAddress(repository) || !URL.canParse(repository)) return [];
  return [new URL(repository).host];
}
