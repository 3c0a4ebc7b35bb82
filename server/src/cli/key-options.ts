/** What stands behind `docent keys …` as text, read; what is wrong is said in one sentence. */
import type { KeyScope } from '@docent/shared/keys';
import { DocentError } from '../platform/errors.ts';
import type { NewKey } from '../accounts/keys/new-key.ts';
import { dayMs, hourMs } from '../platform/time.ts';
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
  const owner = organization ?? site?.organization;
  if (owner === undefined) {
    throw refuse(
      admin
        ? 'Say whose key it is: --organization <name>.'
        : 'Say what the key is for: --site <domain>, or --organization <name> for all of its sites.',
    );
  }
  const owners = [...services.sites.all(), ...services.config.projects].map(
    (each) => each.organization,
  );
  if (!owners.includes(owner) || (site && site.organization !== owner)) {
    throw refuse(
      `The configuration has no organization "${owner}". It has ${[...new Set(owners)].join(', ')}.`,
    );
  }
  const { scopes, networks, groups, expires } = options;
  return {
    kind: admin ? 'admin' : 'assistant',
    organization: owner,
    name: options.name ?? '',
    domain,
    scopes: listOf(scopes) as KeyScope[] | undefined,
    networks: listOf(networks),
    groups: listOf(groups),
    ...(expires !== undefined && { expiresAt: toExpiry(expires, services.now()) }),
  };
}

function listOf(text: string | undefined): string[] | undefined {
  return text
    ?.split(',')
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
