/** What GitLab refuses, told apart by its words. */
import { protectedBranch, type RefusalWords, upper } from '../remote/failures.ts';

export const gitLabWords: RefusalWords = {
  host: 'GitLab',
  kinds: [
    {
      words: /insufficient_scope|higher privileges/i,
      code: 'forge_forbidden',
      sentence: ({ holder }) => `${upper(holder)} lacks the scope “api”.`,
    },
    {
      words: /protected branch|branch is protected/i,
      ...protectedBranch,
    },
    {
      words: /secrets? detected|push blocked/i,
      code: 'secret_found',
      sentence: () => 'GitLab’s push protection found what looks like a secret in the change.',
    },
    {
      words: /\b(?:author|committer|email)\b.{0,200}\b(?:pattern|verified|member|user|email)\b/i,
      code: 'forge_rejected',
      sentence: ({ repository }) =>
        `A push rule of ${repository} refuses the author of the commit; set “commitAuthor” of the project to a name and an email address that it allows.`,
    },
    {
      words: /branch name .{0,200}pattern/i,
      ...protectedBranch,
    },
    {
      words: /not allowed to push|not allowed to download|access denied|read-only/i,
      code: 'forge_forbidden',
      sentence: ({ holder, repository }) => tooFewRights(holder, repository),
    },
  ],
  forbidden: ({ holder, repository }) => tooFewRights(holder, repository),
};

export const tooFewRights = (holder: string, repository: string) =>
  `${upper(holder)} may not write to ${repository}; it needs the scope “api” and the role Developer there.`;
