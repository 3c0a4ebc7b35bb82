import { type Command, Option } from 'commander';
import { publicUrlOf } from '../platform/config/schema.ts';
import type { KeyInfo, NewKey } from '../accounts/keys/keys.ts';
import type { BaseServices } from '../open-services.ts';
import { configOption, inColumns, withServices } from './command.ts';
import { tagOf } from './init/place-tag.ts';
import type { KeyScope } from '@docent/shared/keys';
import { DocentError } from '../platform/errors.ts';
import { dayMs, hourMs } from '../platform/time.ts';

/** `docent keys create|list|rotate|revoke`. */
export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('create, list, rotate, and revoke API keys');

  keys
    .command('create')
    .description('create a key; it is shown once')
    .addOption(configOption())
    .addOption(
      new Option(
        '--assistant',
        'a public key for the widget and the assistant endpoints',
      ).conflicts('admin'),
    )
    .option('--admin', 'a secret key for servers')
    .option('--site <domain>', 'the site an assistant key is for')
    .option(
      '--organization <name>',
      'the organization; an assistant key is then for all of its sites',
    )
    .option('--name <name>', 'a name for your own reference')
    .option(
      '--scopes <list>',
      'permissions: assistant, search, mcp; for an admin key read, write (default: all)',
    )
    .option(
      '--networks <list>',
      'addresses and subnets that can use it, such as 203.0.113.0/24 (default: any)',
    )
    .option(
      '--groups <list>',
      'groups whose pages its requests can use, such as staff,partners (default: none)',
    )
    .option('--expires <when>', 'a date such as 2027-01-31, or a number of days such as 90d')
    .action((options: CreateOptions) =>
      withServices(options.config, async (services) => {
        const { token, key } = await services.keys.create(toNewKey(options, services));
        console.log(`Created the ${key.kind} key ${key.id} for ${scope(key)}.`);
        show(token, key, services);
      }),
    );

  keys
    .command('list')
    .description('list the keys, without their secrets')
    .addOption(configOption())
    .option('--json', 'print JSON, for scripts')
    .action((options: { config?: string; json?: boolean }) =>
      withServices(options.config, async (services) => {
        const list = await services.keys.list();
        if (options.json) console.log(JSON.stringify(list, null, 2));
        else if (list.length === 0)
          console.log('There are no keys yet. Create one with `docent keys create`.');
        else console.log(inColumns(list.map((key) => toRow(key, services.now()))));
      }),
    );

  keys
    .command('rotate <id>')
    .description('replace the token of a key; the old one stays valid for a while')
    .addOption(configOption())
    .option('--grace <time>', 'how long the old token stays valid: 7d, 12h, 0', '7d')
    .action((id: string, options: { config?: string; grace: string }) =>
      withServices(options.config, async (services) => {
        const graceMs = toGraceMs(options.grace);
        const until = new Date(services.now().getTime() + graceMs);
        const { token, key } = await services.keys.rotate(id, until);
        console.log(
          key.previous
            ? `Key ${key.id} has a new token. The old one (…${key.previous.hint}) is valid until ${key.previous.until}.`
            : `Key ${key.id} has a new token. The old one is no longer valid.`,
        );
        show(token, key, services);
      }),
    );

  keys
    .command('revoke <id>')
    .description('revoke a key immediately')
    .addOption(configOption())
    .action((id: string, options: { config?: string }) =>
      withServices(options.config, async (services) => {
        const key = await services.keys.revoke(id);
        console.log(`Key ${key.id} (…${key.hint}) was revoked at ${key.revokedAt}.`);
      }),
    );
}

/** The only time that a token is seen. */
function show(token: string, key: KeyInfo, services: BaseServices): void {
  console.log(
    `Copy it now. It isn't shown again, because Docent keeps only its hash.\n\n  ${token}\n`,
  );
  const isForWidget = key.scopes?.includes('assistant') ?? key.kind === 'assistant';
  if (!isForWidget || key.domain === undefined) return;
  console.log(
    `Paste this before </body> of every page:\n\n  ${scriptTag(services, key.domain, token)}\n`,
  );
}

function scope(key: KeyInfo): string {
  return key.domain === undefined
    ? `the organization ${key.organization}`
    : `the site ${key.domain}`;
}

function scriptTag({ config }: BaseServices, site: string, key: string): string {
  return tagOf({ src: `${publicUrlOf(config.server)}/docent.js`, site, key });
}

function toRow(key: KeyInfo, now: Date): Record<string, string> {
  const isOver = (time: string | undefined) => time !== undefined && time <= now.toISOString();
  const { previous } = key;
  const both =
    previous && !isOver(previous.until)
      ? `; …${previous.hint} until ${previous.until}, last used ${previous.lastUsedAt ?? 'never'}`
      : '';
  return {
    id: key.id,
    kind: key.kind,
    for: scope(key),
    name: key.name ?? '',
    ends: `…${key.hint}`,
    status: key.revokedAt
      ? `revoked ${key.revokedAt}`
      : isOver(key.expiresAt)
        ? 'expired'
        : `valid${both}`,
    may: key.scopes?.join(', ') ?? 'all',
    from: key.networks?.join(', ') ?? 'anywhere',
    groups: key.groups.join(', ') || 'none',
    created: key.createdAt,
    expires: key.expiresAt ?? 'never',
    'last used': key.lastUsedAt ?? 'never',
  };
}

interface CreateOptions {
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

function toNewKey(options: CreateOptions, services: BaseServices): NewKey {
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
function toGraceMs(text: string): number {
  const [, amount, unit] = /^(\d{1,4})([dh])$/.exec(text) ?? [];
  if (amount !== undefined) return Number(amount) * (unit === 'd' ? dayMs : hourMs);
  if (text === '0') return 0;
  throw refuse(
    `--grace "${text}" isn't a length of time. Write days such as 7d, hours such as 12h, or 0.`,
  );
}
