import { dirname } from 'node:path';
import {
  checkConfig,
  type DocentConfig,
  type DocentOptions,
  openServices,
  startDocent as start,
} from '@docent/server/docent';
import { createAsker } from './ask.ts';
import { kestrel, kestrelBlog, osprey, putIndex, temporaryFolder } from './fixture.ts';
import type { ScriptedModel } from './scripted-model.ts';

export interface StartOptions extends DocentOptions {
  /** Without one the built-in model answers. */
  model?: Pick<ScriptedModel, 'url'>;
  /** A model of another provider than the OpenAI wire. */
  models?: DocentConfig['models'];
  limits?: DocentConfig['limits'];
  budgets?: DocentConfig['budgets'];
  email?: DocentConfig['email'];
  search?: DocentConfig['search'];
  server?: DocentConfig['server'];
  projects?: DocentConfig['projects'];
  agent?: DocentConfig['agent'];
  dashboard?: DocentConfig['dashboard'];
  /** Settings of all sites. */
  site?: Partial<DocentConfig['sites'][number]>;
  /** Settings of some sites, by their domain. */
  sites?: Record<string, Partial<DocentConfig['sites'][number]>>;
  /** Environment variables that the configuration may name. */
  variables?: Record<string, string>;
  /** Groups that its key is granted. */
  groups?: string[];
  /** Data of an earlier server; it is not removed at the end. */
  dataFolder?: string;
}

export type TestDocent = Awaited<ReturnType<typeof startDocent>>;

/** A real server on a port of the kernel's choice, with the fixture's documentation indexed. */
export async function startDocent(options: StartOptions = {}) {
  const temporary = options.dataFolder === undefined ? await temporaryFolder() : undefined;
  const dataFolder = options.dataFolder ?? temporary?.path ?? '';
  await putIndex(dataFolder);
  const models = options.models ?? (options.model && { main: toModel(options.model.url) });
  // Jobs need a model to be created; those that no runner takes never ask it.
  const unreachable = options.projects?.some(({ model }) => model === 'main')
    ? { main: toModel('http://127.0.0.1:1') }
    : undefined;
  const site = { ...(models && { model: Object.keys(models)[0] ?? '' }), ...options.site };
  const loaded = checkConfig(
    {
      server: { port: 0, dataFolder, ...options.server },
      sites: [kestrel, kestrelBlog, osprey].map((each) => ({
        ...each,
        ...site,
        ...options.sites?.[each.domain],
      })),
      ...((models ?? unreachable) && { models: models ?? unreachable }),
      ...(options.search && { search: options.search }),
      ...(options.limits && { limits: options.limits }),
      ...(options.email && { email: options.email }),
      ...(options.budgets && { budgets: options.budgets }),
      ...(options.projects && { projects: options.projects }),
      ...(options.agent && { agent: options.agent }),
      ...(options.dashboard && { dashboard: options.dashboard }),
    },
    { folder: dataFolder, variables: { LOG_LEVEL: 'silent', ...options.variables } },
  );
  // A reader who leaves is gone at once, unless a test is about those who come back.
  const docent = await start(loaded, { streamTimeouts: { graceMs: 0 }, ...options });
  const { keys, database } = docent.services;
  const { token: key, key: keyInfo } = await keys.create({
    kind: 'assistant',
    organization: 'kestrel',
    domain: kestrel.domain,
    name: 'tests',
    groups: options.groups ?? [],
  });
  const { token: admin } = await keys.create({
    kind: 'admin',
    organization: 'kestrel',
    name: 'admin of the tests',
  });
  const asker = createAsker(docent.url, { key, domain: kestrel.domain });

  return {
    ...asker,
    docent,
    url: docent.url,
    keys,
    key,
    keyInfo,
    /** An admin key of the organization `kestrel`. */
    admin,
    dataFolder,
    /** The stored turns of a thread that stand, oldest first. */
    turns: (threadId: string) =>
      database
        .selectFrom('turns')
        .selectAll()
        .where('thread_id', '=', threadId)
        .where('replaced_by', 'is', null)
        .orderBy('id')
        .execute(),
    async [Symbol.asyncDispose]() {
      await docent.close();
      await temporary?.[Symbol.asyncDispose]();
    },
  };
}

/** A key for a server that runs elsewhere, made as the command line makes it, but in this process. */
export async function makeKey(
  configFile: string,
  variables: Record<string, string> = {},
  kind: 'assistant' | 'admin' = 'assistant',
) {
  const { default: input } = (await import(configFile, { with: { type: 'json' } })) as {
    default: unknown;
  };
  const loaded = checkConfig(input, {
    folder: dirname(configFile),
    variables: { LOG_LEVEL: 'silent', ...variables },
  });
  const services = await openServices(loaded);
  const { organization, domain } = kestrel;
  const site = kind === 'assistant' ? { domain } : {};
  const made = await services.keys.create({ kind, organization, ...site, name: 'tests' });
  await services.close();
  return made.token;
}

export function toModel(baseUrl: string) {
  return { provider: 'openai-compatible', baseUrl, model: 'scripted' } as const;
}
