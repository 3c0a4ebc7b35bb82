import { type KeyKind, type KeyScope, keyScopes } from '@docent/shared/keys';
import { invalid } from '../../platform/errors.ts';
import { readNetwork } from '../../platform/auth/networks.ts';

export interface NewKey {
  kind: KeyKind;
  organization: string;
  domain?: string | undefined;
  name: string;
  scopes?: readonly KeyScope[] | undefined;
  networks?: readonly string[] | undefined;
  groups?: readonly string[] | undefined;
  expiresAt?: Date | undefined;
}

/** A new key without repetitions. Throws what is wrong with it. */
export function checkNewKey(key: NewKey): NewKey {
  const { kind, domain, scopes, networks, groups } = key;
  if (kind === 'admin' && (domain ?? groups) !== undefined) {
    throw invalid(
      domain === undefined ? 'groups' : 'domain',
      'is only for assistant keys: an admin key is for the whole organization',
    );
  }
  for (const [name, list] of Object.entries({ scopes, networks })) {
    if (list?.length === 0) throw invalid(name, 'is empty');
  }
  const known: readonly KeyScope[] = keyScopes[kind];
  if (scopes?.some((scope) => !known.includes(scope))) {
    throw invalid('scopes', `must be of ${known.join(', ')}`);
  }
  const read = networks?.map((text) => {
    const network = readNetwork(text);
    if (network !== undefined) return network;
    throw invalid(
      'networks',
      `has "${text}", which is no address or subnet, such as 203.0.113.0/24`,
    );
  });
  return {
    ...key,
    ...(scopes && { scopes: known.filter((scope) => scopes.includes(scope)) }),
    ...(read && { networks: [...new Set(read)] }),
    ...(groups && { groups: [...new Set(groups)] }),
  };
}
