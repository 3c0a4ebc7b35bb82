import { type Command, Option } from 'commander';
import { loadConfig } from '../config/load.ts';
import { serverUrl } from '../config/server-url.ts';
import { openParts, type Parts } from '../parts.ts';
import { DocentError } from '../errors.ts';
import type { KeyInfo, NewKey } from '../keys/key-store.ts';
import { dayMs } from '../limits/windows.ts';

interface CreateOptions {
  config?: string;
  assistant?: boolean;
  admin?: boolean;
  site?: string;
  organization?: string;
  name?: string;
  expires?: string;
}

/** `docent keys create|list|revoke`. They open the database beside a running server. */
export function addKeyCommands(program: Command, configOption: () => Option): void {
  const keys = program.command('keys').description('create, list and revoke API keys');

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
    .option('--name <name>', 'what the key is for, for your own list')
    .option('--expires <when>', 'a date such as 2027-01-31, or a number of days such as 90d')
    .action(async (options: CreateOptions) =>
      withParts(options.config, async (parts) => {
        const { token, key } = await parts.keys.create(toNewKey(options, parts));
        console.log(`Created the ${key.kind} key ${key.id} for ${scope(key)}.`);
        console.log(`It is shown this once; Docent keeps only its hash.\n\n  ${token}\n`);
        if (key.kind === 'assistant' && key.domain !== undefined) {
          console.log(
            `Paste this before </body> of every page:\n\n  ${scriptTag(parts, key.domain, token)}\n`,
          );
        }
      }),
    );

  keys
    .command('list')
    .description('list the keys, without their secrets')
    .addOption(configOption())
    .action(async (options: { config?: string }) =>
      withParts(options.config, async (parts) => {
        const list = await parts.keys.list();
        if (list.length === 0)
          console.log('There are no keys yet; make one with `docent keys create`.');
        else
          console.table(Object.fromEntries(list.map((key) => [key.id, toRow(key, parts.now())])));
      }),
    );

  keys
    .command('revoke <id>')
    .description('stop a key at once')
    .addOption(configOption())
    .action(async (id: string, options: { config?: string }) =>
      withParts(options.config, async (parts) => {
        const key = await parts.keys.revoke(id);
        console.log(`Key ${key.id} (…${key.hint}) is revoked since ${key.revokedAt}.`);
      }),
    );
}

async function withParts(
  config: string | undefined,
  work: (parts: Parts) => Promise<void>,
): Promise<void> {
  const parts = await openParts(await loadConfig(config));
  try {
    await work(parts);
  } finally {
    await parts.close();
  }
}

function toNewKey(options: CreateOptions, parts: Parts): NewKey {
  const { assistant, admin, site: domain, organization } = options;
  if (!assistant && !admin) {
    throw new DocentError(
      'bad_request',
      'Say which kind of key: --assistant for pages, --admin for servers.',
    );
  }
  const site = domain === undefined ? undefined : parts.sites.named(domain);
  if (admin && domain !== undefined) {
    throw new DocentError(
      'bad_request',
      'An admin key is for an organization: use --organization instead of --site.',
    );
  }
  const owner = organization ?? site?.organization;
  if (owner === undefined) {
    throw new DocentError(
      'bad_request',
      admin
        ? 'Say whose key it is: --organization <name>.'
        : 'Say what the key is for: --site <domain>, or --organization <name> for all of its sites.',
    );
  }
  const owners = [...parts.config.sites, ...parts.config.projects].map((each) => each.organization);
  if (!owners.includes(owner) || (site && site.organization !== owner)) {
    throw new DocentError(
      'bad_request',
      `The organization "${owner}" does not fit; the configuration has ${[...new Set(owners)].join(', ')}.`,
    );
  }
  const expiresAt =
    options.expires === undefined ? undefined : toExpiry(options.expires, parts.now());
  return {
    kind: admin ? 'admin' : 'assistant',
    organization: owner,
    name: options.name ?? '',
    ...(domain !== undefined && { domain }),
    ...(expiresAt && { expiresAt }),
  };
}

function toExpiry(text: string, now: Date): Date {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  const isDate = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(text);
  const time = days ? now.getTime() + Number(days) * dayMs : isDate ? Date.parse(text) : NaN;
  if (!(time > now.getTime())) {
    throw new DocentError(
      'bad_request',
      `--expires "${text}" is no time to come; write a date such as 2027-01-31, or days such as 90d.`,
    );
  }
  return new Date(time);
}

function scope(key: KeyInfo): string {
  return key.domain === undefined
    ? `the organization ${key.organization}`
    : `the site ${key.domain}`;
}

function scriptTag({ config }: Parts, domain: string, token: string): string {
  const base = config.server.publicUrl ?? serverUrl(config.server);
  return `<script src="${base}/docent.js" data-site="${domain}" data-key="${token}" async></script>`;
}

function toRow(key: KeyInfo, now: Date) {
  const isExpired = key.expiresAt !== undefined && key.expiresAt <= now.toISOString();
  return {
    kind: key.kind,
    for: scope(key),
    name: key.name,
    ends: `…${key.hint}`,
    status: key.revokedAt ? `revoked ${key.revokedAt}` : isExpired ? 'expired' : 'valid',
    created: key.createdAt,
    expires: key.expiresAt ?? 'never',
    'last used': key.lastUsedAt ?? 'never',
  };
}
