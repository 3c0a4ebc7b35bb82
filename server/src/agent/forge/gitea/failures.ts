/** What Gitea and Forgejo refuse, told apart by their words. */
import { mirrored, protectedBranch, type RefusalWords, upper } from '../remote/failures.ts';

export const giteaWords = (host: string): RefusalWords => ({
  host,
  kinds: [
    {
      words: /required=\[\w+:issue\]/i,
      code: 'forge_forbidden',
      sentence: ({ holder }) => `${upper(holder)} lacks the scope “issue”, to read and write.`,
    },
    {
      words: /required scope|scope check|does not have at least one of/i,
      code: 'forge_forbidden',
      sentence: ({ holder }) =>
        `${upper(holder)} lacks a scope; it needs “repository” to read and write, and “user” to read.`,
    },
    {
      words: /protected branch|is protected (?:from|against)/i,
      ...protectedBranch,
    },
    {
      words: /mirror repository is read-only/i,
      code: 'forge_rejected',
      sentence: ({ repository }) => mirrored(repository).message,
    },
    {
      words: /permission denied|not allowed to push|no write access|must be a collaborator/i,
      code: 'forge_forbidden',
      sentence: ({ holder, repository }) => tooFewRights(holder, repository),
    },
  ],
});

export const tooFewRights = (holder: string, repository: string) =>
  `The account of ${holder} may not write to ${repository}; give it write access to code and pull requests.`;
