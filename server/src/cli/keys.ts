import { type Command, Option } from 'commander';
import { publicUrlOf } from '../platform/config/schema.ts';
import type { KeyInfo } from '../accounts/keys/keys.ts';
import type { BaseServices } from '../open-services.ts';
import { configOption, inColumns, withServices } from './command.ts';
import { tagOf } from './init/place-tag.ts';
import { type CreateOptions, toGraceMs, toNewKey } from './key-options.ts';

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
