/** Repositories, changes and refusals for the tests of forges. */
import type { CommitAuthor } from '../src/agent/forge/write-commit.ts';
import { expect } from 'vitest';
import type { DocsRepository, FileInput } from '../../tests/support/docs-repository.ts';
import { JobError } from '../src/platform/errors.ts';
import type { FileChange } from '../src/agent/workspace/tree.ts';
import type { Forge } from '../src/agent/forge/forge.ts';

/** A forge over a repository of its own, and what its people do there without us. */
export interface ForgeSetup {
  forge: Forge;
  /** The same repository, asked by a process that has just started. */
  reopen: (commitAuthor?: CommitAuthor) => Forge;
  /** What people see and push to. */
  docs: DocsRepository;
  merge(number: number, options?: { deleteBranch?: boolean }): Promise<unknown>;
  close(number: number): unknown;
  /** From now on it is the repository's default branch. */
  makeDefault: (branch: string) => unknown;
  [Symbol.asyncDispose](): Promise<void>;
}

export type OpenForge = (files: Record<string, FileInput>) => Promise<ForgeSetup>;

export const contractFiles: Record<string, FileInput> = {
  'README.md': 'Acme\n',
  'docs/index.md': '# Home\n\nOne.\n\nTwo.\n\nThree.\n',
  'docs/install.md': '# Install\n',
  'docs/crlf.md': '\uFEFF# Lines\r\n\r\nOne.\r\n',
  'docs/logo.png': Buffer.from([0x89, 0x50, 0, 0xff, 0x0a, 0x0d]),
  'docs/link.md': { mode: '120000', content: '../README.md' },
  'run.sh': { mode: '100755', content: '#!/bin/sh\n' },
};

export const modified = (path: string, before: string, after: string): FileChange => ({
  path,
  kind: 'modified',
  before: Buffer.from(before),
  after: Buffer.from(after),
});
export const added = (path: string, after: string | Buffer, from?: string): FileChange => ({
  path,
  kind: 'added',
  before: undefined,
  after: Buffer.from(after),
  ...(from !== undefined && { from }),
});
export const deleted = (path: string, before: string): FileChange => ({
  path,
  kind: 'deleted',
  before: Buffer.from(before),
  after: undefined,
});

export const refusal = async (work: Promise<unknown>): Promise<JobError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(JobError);
  return error as JobError;
};
