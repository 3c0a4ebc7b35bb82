/**
 * The code that a job can read: repositories of the project, each at the commit that it had when the job first
 * read it. What the agent says about code names a place, such as `server:src/limit.ts:12`, which must exist.
 */
import type { CodePlace } from '@docent/shared/agent-corrections';
import { DocentError } from '../../platform/errors.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import { FileError } from '../workspace/paths.ts';
import { createFileSet, type FileSet } from '../workspace/file-set.ts';
import { createPathPolicy } from '../workspace/path-policy.ts';
import { linePage } from './at-host.ts';
import type { OpenCode } from './code-repository.ts';

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
