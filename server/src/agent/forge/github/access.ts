/** What the service shows GitHub: a token of its owner's, or one that it mints as an App, for one repository and an hour at most. */
import { JobError } from '../../../platform/errors.ts';
import { recognizeSecrets } from '../../../platform/redaction/own-secrets.ts';
import type { GitHubClient } from './client.ts';
import type { RemoteAccess } from '../remote/access.ts';
import { upper } from '../remote/failures.ts';

export interface AppAccessOptions {
  app: {
    id: string;
    privateKeyEnv: string;
    installationId?: number | undefined;
  };
  privateKey: string | undefined;
  owner: string;
  repository: string;
  readsChecks: boolean;
  now: () => Date;
  /** A client that speaks for the App itself. */
  connect: (authentication: { strategy: 'app'; options: object }, holder: string) => GitHubClient;
}

/** A token is renewed before it ends: a long job never holds one that dies under its hands. */
const marginMs = 5 * 60_000;

/** Just what publishing needs, whatever else the App may do. */
const publishing = { contents: 'write', pull_requests: 'write' } as const;
/** To read why checks failed, and what they printed. */
const reading = { checks: 'read', statuses: 'read', actions: 'read' } as const;

export function createAppAccess(options: AppAccessOptions): RemoteAccess {
  const { app, owner, repository, now } = options;
  const permissions = { ...publishing, ...(options.readsChecks && reading) };
  const holder = `the GitHub App ${app.id}`;
  let installation: number | undefined = app.installationId;
  let minted: Promise<{ token: string; endsAt: number }> | undefined;
  let client: GitHubClient | undefined;

  async function mint(): Promise<{ token: string; endsAt: number }> {
    client ??= options.connect(
      { strategy: 'app', options: { appId: app.id, privateKey: readKey() } },
      holder,
    );
    const id = (installation ??= await findInstallation(client));
    const { data } = await client.ask((github) =>
      github.rest.apps.createInstallationAccessToken({
        installation_id: id,
        repositories: [repository],
        permissions,
      }),
    );
    const endsAt = Date.parse(data.expires_at);
    const forget = recognizeSecrets([data.token]);
    setTimeout(forget, Math.max(0, endsAt - now().getTime())).unref();
    return { token: data.token, endsAt };
  }

  async function findInstallation(asApp: GitHubClient): Promise<number> {
    const { data } = await asApp.ask(
      (github) => github.rest.apps.getRepoInstallation({ owner, repo: repository }),
      {
        notFound: () =>
          new JobError(
            'forge_not_configured',
            `${upper(holder)} is not installed on ${owner}/${repository}; install it there.`,
          ),
      },
    );
    return data.id;
  }

  function readKey(): string {
    const { privateKey } = options;
    // In a variable of one line its ends of lines are often written as \n.
    const key = privateKey?.replaceAll('\\n', '\n').trim();
    if (key?.startsWith('-----BEGIN') && key.endsWith('-----')) return key;
    throw new JobError(
      'forge_not_configured',
      key === undefined || key === ''
        ? `The environment variable ${app.privateKeyEnv} is empty; set it to the App’s private key.`
        : `The environment variable ${app.privateKeyEnv} doesn’t contain a private key; set it to the complete text of the App’s .pem file.`,
    );
  }

  return {
    holder,
    canRenew: true,
    async token({ wasRefused = false } = {}) {
      const kept = wasRefused ? undefined : await minted?.catch(() => undefined);
      if (kept && kept.endsAt - now().getTime() > marginMs) return kept.token;
      // Several calls at once wait for one new token.
      const before = minted;
      const next = (minted = mint());
      next.catch(() => {
        if (minted === next) minted = before;
      });
      return (await next).token;
    },
  };
}
