import { forgeContract, pullRequestContract } from '../../../../testing/forge.contract.ts';
import { openGitHub } from '../../../../testing/github-forge.ts';

forgeContract('GitHub Enterprise Server, by a token', (files) => openGitHub(files));

// Each pull request reads, writes a commit and makes a branch: every kind of call has the other address and token.
pullRequestContract('GitHub by the paths of api.github.com, by an App', (files) => {
  const secrets: Record<string, string> = {};
  return openGitHub(files, {
    secrets,
    github: (server) => {
      const app = server.addApp({ repositories: ['acme/docs'] });
      secrets['APP_KEY'] = app.privateKey.replaceAll('\n', '\\n');
      return { app: { id: String(app.id), privateKeyEnv: 'APP_KEY' }, apiUrl: server.url };
    },
  });
});
