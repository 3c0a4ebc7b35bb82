/** What stands behind `docent keys …` as text, read; what is wrong is said in one sentence. */
import { type KeyKind, type KeyScope, keyScopes } from '@docent/shared/keys';
import { DocentError } from '../platform/errors.ts';
import type { NewKey } from '../platform/auth/keys.ts';
import { readNetwork } from '../platform/auth/networks.ts';
import { dayMs, hourMs } from '../platform/limits/counters.ts';
import type { BaseServices } from '../open-services.ts';

export interface CreateOptions {
  config?: string;
  assistant?: boolean;
  admin?: boolean;
  site?: string;
  organization?: string;
  name?: string;
  scopes?: string;
  networks?: string;
  groups?: string;
  expires?: string;
}

const refuse = (sentence: string) => new DocentError('bad_request', sentence);

export function toNewKey(options: CreateOptions, services: BaseServices): NewKey {
  const { assistant, admin, site: domain, organization } = options;
  if (!assistant && !admin) {
    throw refuse('Say which kind of key: --assistant for pages, --admin for servers.');
  }
  const site = domain === undefined ? undefined : services.sites.named(domain);
  if (admin && domain !== undefined) {
    throw refuse('An admin key is for an organization: use --organization instead of --site.');
  }
  const owner = organization ?? site?.organization;
  if (owner === undefined) {
    throw refuse(
      admin
        ? 'Say whose key it is: --organization <name>.'
        : 'Say what the key is for: --site <domain>, or --organization <name> for all of its sites.',
    );
  }
  const owners = [...services.config.sites, ...services.config.projects].map(
    (each) => each.organization,
  );
  if (!owners.includes(owner) || (site && site.organization !== owner)) {
    throw refuse(
      `The configuration has no organization "${owner}". It has ${[...new Set(owners)].join(', ')}.`,
    );
  }
  const kind = admin ? 'admin' : 'assistant';
  const { scopes, networks, groups, expires } = options;
  return {
    kind,
    organization: owner,
    name: options.name ?? '',
    ...(domain !== undefined && { domain }),
    ...(scopes !== undefined && { scopes: toScopes(scopes, kind) }),
    ...(networks !== undefined && { networks: toNetworks(networks) }),
    ...(groups !== undefined && { groups: toGroups(groups, kind) }),
    ...(expires !== undefined && { expiresAt: toExpiry(expires, services.now()) }),
  };
}

function toScopes(text: string, kind: KeyKind): KeyScope[] {
  const known: readonly KeyScope[] = keyScopes[kind];
  const scopes = listOf(text);
  const unknown = scopes.find((scope) => !known.some((each) => each === scope));
  if (unknown !== undefined || scopes.length === 0) {
    throw refuse(
      `--scopes "${text}" isn't valid. The scopes of ${kind} keys are ${known.join(', ')}. For example: --scopes ${known.slice(0, 2).join(',')}.`,
    );
  }
  return known.filter((scope) => scopes.includes(scope));
}

function toNetworks(text: string): string[] {
  const networks = listOf(text).map((each) => {
    const network = readNetwork(each);
    if (network === undefined) {
      throw refuse(
        `--networks "${each}" isn't an address or a subnet. Write a list such as 203.0.113.7,198.51.100.0/24,2001:db8::/32.`,
      );
    }
    return network;
  });
  if (networks.length === 0)
    throw refuse('--networks is empty; leave it out to allow any address.');
  return [...new Set(networks)];
}

function toGroups(text: string, kind: KeyKind): string[] {
  if (kind === 'admin') {
    throw refuse('--groups is for assistant keys: no endpoint for admin keys shows pages.');
  }
  const groups = listOf(text);
  if (groups.length === 0) throw refuse('--groups is empty; leave it out to grant none.');
  return [...new Set(groups)];
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function toExpiry(text: string, now: Date): Date {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  const isDate = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(text);
  const time = days ? now.getTime() + Number(days) * dayMs : isDate ? Date.parse(text) : NaN;
  if (!(time > now.getTime())) {
    throw refuse(
      `--expires "${text}" isn't in the future. Write a date such as 2027-01-31, or a number of days such as 90d.`,
    );
  }
  return new Date(time);
}

/** How long the old token lives on: days, hours, or nothing. */
export function toGraceMs(text: string): number {
  const [, amount, unit] = /^(\d{1,4})([dh])$/.exec(text) ?? [];
  if (amount !== undefined) return Number(amount) * (unit === 'd' ? dayMs : hourMs);
  if (text === '0') return 0;
  throw refuse(
    `--grace "${text}" isn't a length of time. Write days such as 7d, hours such as 12h, or 0.`,
  );
}
