/**
 * The code that documentation explains: repositories of a project that are read at a commit, and never written.
 * A job reads each at the commit that it had when the job first read it. What the agent says about code names a
 * place, such as `server:src/limit.ts:12`, which must exist.
 */
import type { CodePlace } from '@docent/shared/agent-corrections';
import { isAddress } from '../../platform/config/repository-address.ts';
import { DocentError } from '../../platform/errors.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import { FileError } from '../workspace/paths.ts';
import { createFileSet, type FileSet } from '../workspace/file-set.ts';
import { createPathPolicy } from '../workspace/path-policy.ts';
import type { Environment } from '../../platform/config/environment.ts';
import type { CodeRepository as Settings } from '../../platform/config/project-config.ts';
import type { Config } from '../../platform/config/schema.ts';
import { openRepository } from '../../platform/git/repository.ts';
import { repositoriesFolder } from '../../platform/store/data-folder.ts';
import { historyOf, isAncestor } from '../forge/bare-history.ts';
import { linePage } from './at-host.ts';
import type { Commit } from '../forge/forge.ts';
import { readPaths } from '../forge/bare-tree.ts';
import { changesBetween, type FileChange, type Tree } from '../workspace/tree.ts';

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

    async function tree(commit: string): Promise<Tree> {
      await repository.fetch(commit);
      const listed = await repository.files(commit, '');
      const entries = new Map(
        listed.map(({ path, oid }) => [path, { path, oid, mode: '100644' as const }]),
      );
      const read: Tree['read'] = (paths) =>
        readPaths(entries, paths, (oids) => repository.read(oids));
      return { commit, entries, read };
    }

    return {
      ...repository,
      tree,

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

      changesBetween: async (before: string, after: string): Promise<FileChange[]> =>
        changesBetween(await tree(before), await tree(after), { most: maxChanged }),
    };
  };
}

/** Its address is in the configuration, so its owner means it, wherever it is. */
function hostsOf({ repository }: Settings): string[] {
  if (!isAddress(repository) || !URL.canParse(repository)) return [];
  return [new URL(repository).host];
}

/** Places that one text may name. */
const maxPlaces = 100;
/** Lines of an excerpt before and after its place, and their characters. */
const around = 10;
const maxLine = 300;

export type CodeContext = ReturnType<typeof createCodeContext>;

export function createCodeContext(options: {
  project: Project;
  openCode: OpenCode;
  /** By name: the commits at which the job reads. */
  commits: Record<string, string>;
  /** Stores the commits before anything is read at a further one. */
  onCommits: (commits: Record<string, string>) => Promise<void>;
  signal: AbortSignal;
}) {
  const { project, openCode, onCommits, signal } = options;
  const names = project.code.map(({ name }) => name);
  const policy = createPathPolicy(
    { read: [], protect: [], unprotect: [], onProtected: 'block' },
    '',
  );
  const opened = new Map<string, Promise<FileSet>>();
  let { commits } = options;

  async function openNew(name: string): Promise<FileSet> {
    if (!names.includes(name)) {
      throw new FileError(`There is no code repository “${name}”; there are: ${names.join(', ')}.`);
    }
    try {
      const code = await openCode(project, name, signal);
      const known = commits[name] ?? (await code.commit());
      if (commits[name] === undefined) await onCommits((commits = { ...commits, [name]: known }));
      return createFileSet({ tree: await code.tree(known), policy, signal });
    } catch (error) {
      if (!(error instanceof DocentError) || signal.aborted) throw error;
      throw new FileError(`${error.message} Go on without it, and say so when you finish.`);
    }
  }

  function open(name: string): Promise<FileSet> {
    const files = opened.get(name) ?? openNew(name);
    opened.set(name, files);
    // It may be there at the next call.
    files.catch(() => opened.delete(name));
    return files;
  }

  return {
    names,
    open,
    /** The repositories that the job has read. */
    read: () => commits,

    /** A place, which exists. */
    async place(repository: string, path: string, line: number): Promise<CodePlace> {
      await (await open(repository)).read(path, { from: line, to: line });
      const commit = commits[repository] ?? '';
      const address = project.code.find(({ name }) => name === repository)?.repository ?? '';
      const url = linePage(project, address, { commit, path, line });
      return { repository, commit, path, line, url };
    },

    /** The lines around a place, with their numbers. */
    async excerpt({ repository, path, line }: CodePlace): Promise<string> {
      const range = { from: Math.max(1, line - around), to: line + around };
      const { text, firstLine } = await (await open(repository)).read(path, range);
      const lines = text.split('\n').slice(0, 2 * around + 1);
      return lines.map((one, at) => `${firstLine + at}\t${one.slice(0, maxLine)}`).join('\n');
    },

    /** The places that a text names, and a sentence for the model for each that doesn't exist. */
    async check(text: string): Promise<{ places: string[]; problems: string[] }> {
      const found = [...text.matchAll(/([\w.-]{1,40}):([\w@+./-]{1,300}):(\d{1,7})(?!\d)/g)].filter(
        ([, name = '']) => names.includes(name),
      );
      const places = new Set<string>();
      const problems = new Set<string>();
      for (const [place, name = '', path = '', line] of found.slice(0, maxPlaces)) {
        try {
          await (await open(name)).read(path, { from: Number(line), to: Number(line) });
          places.add(place);
        } catch (error) {
          if (!(error instanceof FileError)) throw error;
          problems.add(`${place} isn't a place in the code: ${error.message}`);
        }
      }
      return { places: [...places], problems: [...problems] };
    },
  };
}
