import type { Tables } from '../platform/store/tables.ts';
import { type Command, Option } from 'commander';
import { Email, type Role, roles } from '@docent/shared/people';
import type { BaseServices } from '../open-services.ts';
import { serverUrl } from '../platform/config/schema.ts';
import { DocentError } from '../platform/errors.ts';
import { configOption, inColumns, withServices } from './command.ts';

interface Options {
  config?: string;
  json?: boolean;
  name?: string;
  role: Role;
  organization?: string;
}

const actor = { kind: 'command-line' } as const;

/** `docent users …`: accounts of the dashboard, without a browser, and for those who are locked out. */
export function addUserCommands(program: Command): void {
  const users = program.command('users').description('accounts of people who use the dashboard');
  const command = (name: string, description: string) =>
    users.command(name).description(description).addOption(configOption());
  const roleOption = () =>
    new Option('--role <role>', 'what they may do').choices(roles).default('viewer');
  const organizationOption = () =>
    new Option('--organization <name>', 'the organization (default: all of the configuration)');

  command('setup-token', 'print a new address for making the first account').action(
    run(async (services) => {
      const { setupAddress } = await import('../accounts/people/person-tokens.ts');
      const address = await setupAddress(services, baseUrl(services));
      if (address === undefined) {
        throw new DocentError(
          'conflict',
          'There is an account already. `docent users recovery-link <email>` lets its owner in.',
        );
      }
      console.log(`Open this address within 24 hours, once:\n\n  ${address}\n`);
    }),
  );

  command('list', 'list the accounts')
    .option('--json', 'print JSON, for scripts')
    .action(
      run(async ({ people }, { json }) => {
        const rows = (await people.list()).map(({ person, roles: theirs }) => ({
          email: person.email,
          name: person.name,
          roles: theirs.map(({ name, role }) => `${role} of ${name}`).join(', ') || 'none',
          status: person.disabled_at === null ? 'active' : `disabled ${person.disabled_at}`,
          password: person.password_hash === null ? 'no' : 'yes',
          'second factor': person.second_factor === null ? 'no' : 'yes',
          'last seen': person.last_seen_at ?? 'never',
        }));
        if (json) console.log(JSON.stringify(rows, null, 2));
        else if (rows.length === 0) console.log('There are no accounts yet.');
        else console.log(inColumns(rows));
      }),
    );

  command('add <email>', 'add an account, and print an address where its owner signs in')
    .option('--name <name>', 'the name of the person')
    .addOption(roleOption())
    .addOption(organizationOption())
    .action((address: string, options: Options) =>
      withServices(options.config, async (services) => {
        const { people, database } = services;
        const email = toEmail(address);
        if (await people.byEmail(email)) {
          throw new DocentError('conflict', `There is an account with the address ${email}.`);
        }
        const organizations = toOrganizations(options, services);
        const person = await database.transaction().execute(async (transaction) => {
          const name = options.name ?? email.split('@')[0] ?? email;
          const added = await people.add(transaction, { email, name, passwordHash: null });
          for (const organization of organizations) {
            await people.join(transaction, added.id, organization, options.role);
          }
          const entry = { actor, type: 'person.added' };
          await people.note(transaction, added, entry, { role: options.role });
          return added;
        });
        console.log(`Added ${email}: ${options.role} of ${organizations.join(', ')}.`);
        await printLink(services, person);
      }),
    );

  command('set-role <email>', 'give a person another role, and end their sessions')
    .addOption(roleOption().makeOptionMandatory())
    .addOption(organizationOption())
    .action(
      forPerson(async (services, person, options) => {
        const { people, database } = services;
        const organizations = toOrganizations(options, services);
        await database.transaction().execute(async (transaction) => {
          for (const organization of organizations) {
            await people.join(transaction, person.id, organization, options.role);
          }
          const entry = { actor, type: 'person.role_changed' };
          await people.note(transaction, person, entry, { role: options.role, organizations });
        });
        console.log(`${person.email} is ${options.role} of ${organizations.join(', ')}.`);
      }),
    );

  command('disable <email>', 'end all sessions of a person, and let them in no more').action(
    forPerson(async (services, person) => {
      await change(services, person, 'disabled', { disabled_at: services.now().toISOString() });
      console.log(`${person.email} can't sign in any more.`);
    }),
  );

  command('enable <email>', 'let a disabled person sign in again').action(
    forPerson(async (services, person) => {
      await change(services, person, 'enabled', { disabled_at: null });
      console.log(`${person.email} can sign in again.`);
    }),
  );

  command(
    'reset-password <email>',
    'remove the password, end all sessions, and print an address for choosing another one',
  ).action(
    forPerson(async (services, person) => {
      await change(services, person, 'password_reset', { password_hash: null });
      await printLink(services, person);
    }),
  );

  command(
    'reset-second-factor <email>',
    'remove the second factor of a person who has lost it, and end all sessions',
  ).action(
    forPerson(async (services, person) => {
      const none = { second_factor: null, new_second_factor: null, recovery_codes: null };
      await change(services, person, 'second_factor_removed', none);
      console.log(`${person.email} signs in without a second factor now.`);
    }),
  );

  command(
    'recovery-link <email>',
    'print an address that lets a person in once, even where passwords are switched off',
  ).action(
    forPerson(async (services, person) => {
      await services.database.transaction().execute(async (transaction) => {
        await services.people.note(transaction, person, { actor, type: 'person.link_made' });
      });
      await printLink(services, person);
    }),
  );
}

const run =
  (work: (services: BaseServices, options: Options) => Promise<void>) => (options: Options) =>
    withServices(options.config, (services) => work(services, options));

const forPerson =
  (work: (services: BaseServices, person: Tables['people'], options: Options) => Promise<void>) =>
  (email: string, options: Options) =>
    withServices(options.config, async (services) => {
      const person = await services.people.byEmail(email);
      if (!person) {
        throw new DocentError(
          'not_found',
          `There is no account with the address ${email}; see \`docent users list\`.`,
        );
      }
      await work(services, person, options);
    });

function change(
  { database, people }: BaseServices,
  person: Tables['people'],
  what: string,
  values: Partial<Tables['people']>,
): Promise<void> {
  return database
    .transaction()
    .execute((transaction) =>
      people.change(transaction, person, values, { actor, type: `person.${what}` }),
    );
}

async function printLink(services: BaseServices, person: Tables['people']): Promise<void> {
  const { signInAddress } = await import('../accounts/people/person-tokens.ts');
  const address = await signInAddress(services, person.id, baseUrl(services));
  console.log(`It lets ${person.email} in once, within 24 hours:\n\n  ${address}\n`);
}

const baseUrl = ({ config: { server, dashboard } }: BaseServices) =>
  dashboard.publicUrl ?? serverUrl({ host: server.host, port: dashboard.port ?? server.port });

function toEmail(text: string): string {
  const read = Email.safeParse(text);
  if (read.success) return read.data;
  throw new DocentError('bad_request', `"${text}" is no email address.`);
}

function toOrganizations({ organization }: Options, { people }: BaseServices): string[] {
  if (organization === undefined) return people.organizations;
  if (people.organizations.includes(organization)) return [organization];
  throw new DocentError(
    'not_found',
    `There is no organization "${organization}"; the configuration has: ${people.organizations.join(', ')}.`,
  );
}
