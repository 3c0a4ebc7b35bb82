/** Whose credentials these are, and which repositories they may write: asked before anything is stored. */
import type { ForgeName } from '@docent/shared/connections';
import { z } from 'zod';
import { readProjectAddress } from '../../platform/config/repository-address.ts';
import { ProjectConfig } from '../../platform/config/project-config.ts';
import { JobError } from '../../platform/errors.ts';
import { forgeOf } from '../../platform/tenants/connected.ts';
import { type Forges, kinds } from '../forge/create-forges.ts';
import { createTokenAccess, type RemoteAccess } from '../forge/remote/access.ts';
import { createRest, type Rest } from '../forge/remote/rest.ts';
import { defaultTimeouts } from '../forge/remote/exchange.ts';

export interface Listed {
  /** `owner/name` */
  path: string;
  url: string;
}

/** Nobody scrolls through more; others are typed. */
const maxPages = 3;

const User = z.object({ login: z.string().optional(), username: z.string().optional() });
const Repository = z.object({
  full_name: z.string().optional(),
  path_with_namespace: z.string().optional(),
  archived: z.boolean().optional(),
  permissions: z.object({ push: z.boolean().optional() }).optional(),
});

interface Credential {
  forge: ForgeName;
  url: string;
  token: string;
}

/** The API of a host, of which no repository is meant. */
export function restAt(forge: ForgeName, url: string, access: RemoteAccess, timeouts = {}): Rest {
  const kind = kinds[forge];
  const read = addressIn({ forge, url });
  return createRest({
    ...kind,
    apiUrl: 'apiUrl' in read ? read.apiUrl : url,
    repository: url,
    access,
    words: kind.words(new URL(url).host),
    timeouts: { ...defaultTimeouts, ...timeouts },
  });
}

const restOf = ({ forge, url, token }: Credential): Rest => {
  const access = createTokenAccess('the token', () => token, '');
  return restAt(forge, url, access, { timeoutMs: 10_000, maxWaitSeconds: 5 });
};

const addressIn = ({ forge, url }: Pick<Credential, 'forge' | 'url'>) =>
  readProjectAddress({
    repository: `${url}/owner/name`,
    ...forgeOf({ id: '', forge, url, app_id: null }),
  });

/** Those that the token's account may write to. */
export async function listByToken(credential: Credential, signal?: AbortSignal): Promise<Listed[]> {
  const { path, query } = kinds[credential.forge].list;
  const all: Listed[] = [];
  const pages = restOf(credential).pages(z.array(Repository), { path, query, signal }, maxPages);
  for await (const page of pages) {
    for (const {
      full_name: full,
      path_with_namespace: name = full,
      archived,
      permissions,
    } of page) {
      if (name === undefined || archived === true || permissions?.push === false) continue;
      all.push({ path: name, url: `${credential.url}/${name}` });
    }
  }
  return all;
}

/** The name of the token's account. Rejects with what the token lacks. */
export async function tryToken(
  credential: Credential,
  forges: Pick<Forges, 'trial'>,
  signal?: AbortSignal,
): Promise<string> {
  const { forge, url, token } = credential;
  const { data, headers } = await restOf(credential).send({ path: '/user', signal });
  const { login, username = login } = User.catch({}).parse(data);
  if (username === undefined) {
    throw new JobError('forge_unavailable', `${url} answers, but not as this kind of host does.`);
  }
  // Only classic tokens of GitHub have it. https://docs.github.com/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
  const scopes = headers['x-oauth-scopes']?.toString().split(/, ?/);
  if (
    forge === 'github' &&
    scopes &&
    !scopes.some((one) => one === 'repo' || one === 'public_repo')
  ) {
    throw new JobError('forge_forbidden', 'The token lacks the scope “repo”.');
  }
  const [first] = await listByToken(credential, signal);
  if (!first) {
    throw new JobError(
      'forge_forbidden',
      `${username} can write to no repository at ${url}. Give the account, or the token, write access to the documentation’s repository.`,
    );
  }
  const access = forgeOf({ id: '', forge, url, app_id: null });
  const project = { id: 'trial', organization: 'trial', repository: first.url };
  await forges.trial({ ...ProjectConfig.parse(project), ...access }, token).assertWritable(signal);
  return username;
}

/** What is wrong with the address of a host, as the end of a sentence. */
export function mistakeIn(host: Pick<Credential, 'forge' | 'url'>): string | undefined {
  const read = addressIn(host);
  return 'mistake' in read ? read.mistake : undefined;
}
