import { type Conversation, createConversation } from './conversation.ts';
import type { DocsRepository } from '../docs-repository.ts';
import { line } from './git.ts';

export interface Pull {
  number: number;
  title: string;
  body: string;
  branch: string;
  base: string;
  isDraft: boolean;
  state: 'open' | 'closed';
  isMerged: boolean;
  /** Of the branch, last seen. */
  headCommit: string;
}

/** One repository of the server, with the switches of its settings page. */
export interface HostedRepository {
  /** `owner/name` */
  name: string;
  docs: DocsRepository;
  defaultBranch: string;
  isPrivate: boolean;
  isArchived: boolean;
  hasDrafts: boolean;
  /** Branches that nobody may create or push to, by the first letters of their names. */
  restricted: string[];
  /** Where it has moved to. */
  renamedTo: string | undefined;
  pulls: Pull[];
  conversation: Conversation;
  /** Merges it as a person does with the green button; the branch goes away where the setting says so. */
  merge(number: number, options?: { deleteBranch?: boolean }): Promise<string>;
  close(number: number): void;
}

export function createHostedRepository(name: string, docs: DocsRepository): HostedRepository {
  const pulls: Pull[] = [];
  const pull = (number: number): Pull => {
    const found = pulls.find((one) => one.number === number);
    if (!found) throw new Error(`There is no pull request ${number}`);
    return found;
  };
  return {
    name,
    docs,
    defaultBranch: 'main',
    isPrivate: true,
    isArchived: false,
    hasDrafts: true,
    restricted: [],
    renamedTo: undefined,
    pulls,
    conversation: createConversation(name),
    async merge(number, { deleteBranch = false } = {}) {
      const one = pull(number);
      one.headCommit = (await docs.tip(one.branch)) ?? one.headCommit;
      const base = (await docs.tip(one.base)) ?? '';
      const tree = await line(docs.path, 'merge-tree', '--write-tree', base, one.headCommit);
      if (tree === undefined) throw new Error(`Pull request ${number} has conflicts`);
      const commit = await docs.git(
        '-c',
        'user.name=Dana Docs',
        '-c',
        'user.email=dana@docs.example',
        'commit-tree',
        tree,
        '-p',
        base,
        '-p',
        one.headCommit,
        '-m',
        `Merge pull request #${number} from ${one.branch}`,
      );
      await docs.git('update-ref', `refs/heads/${one.base}`, commit);
      one.state = 'closed';
      one.isMerged = true;
      if (deleteBranch) await docs.git('update-ref', '-d', `refs/heads/${one.branch}`);
      return commit;
    },
    close(number) {
      pull(number).state = 'closed';
    },
  };
}
