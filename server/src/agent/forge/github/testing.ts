/** A forge over the GitHub server of the tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileInput } from '../../../../../tests/support/docs-repository.ts';
import {
  type GitHubServer,
  startGitHubServer,
} from '../../../../../tests/support/github-server.ts';
import type { ForgeSetup } from '../../../../testing/forge-fixture.ts';
import { createGitHubForge, type GitHubForgeParts } from './github-forge.ts';

export const token = 'github_pat_11CANARY0000000000000000_tests';
export const quickly = { timeoutMs: 5_000, retryUnitMs: 1, maxWaitSeconds: 60 };

export interface GitHubSetup extends ForgeSetup {
  server: GitHubServer;
  /** `acme/docs` at the server. */
  hosted: Awaited<ReturnType<GitHubServer['addRepository']>>;
  /** Where copies are kept. */
  folder: string;
  parts: GitHubForgeParts;
}

export async function openGitHub(
  files: Record<string, FileInput>,
  options: {
    github?: (server: GitHubServer) => GitHubForgeParts['project']['github'];
    parts?: Partial<GitHubForgeParts>;
    secrets?: Record<string, string>;
    now?: () => number;
  } = {},
): Promise<GitHubSetup> {
  const server = await startGitHubServer(options);
  const folder = await mkdtemp(join(tmpdir(), 'docent-forge-'));
  const hosted = await server.addRepository('acme/docs', files);
  server.addToken(token);
  const secrets = options.secrets ?? {};
  secrets['DOCS_TOKEN'] ??= token;
  const parts: GitHubForgeParts = {
    project: {
      id: 'acme-docs',
      github: options.github ? options.github(server) : { tokenEnv: 'DOCS_TOKEN' },
    },
    repository: server.repositoryUrl('acme/docs'),
    secret: (variable) => secrets[variable],
    folder,
    now: () => new Date(options.now?.() ?? Date.now()),
    log: { debug() {}, warn() {} },
    timeouts: quickly,
    ...options.parts,
  };
  return {
    server,
    hosted,
    folder,
    parts,
    forge: createGitHubForge(parts),
    reopen: () => createGitHubForge(parts),
    docs: hosted.docs,
    merge: (number, how) => hosted.merge(number, how),
    close: (number) => hosted.close(number),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
