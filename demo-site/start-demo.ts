/** Starts Docent and a documentation site that uses it, in one process. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkConfig, type Config, type Docent, startDocent } from '@docent/server/docent';
import type { PreviewServer } from 'vite';
import ownConfig from './docent.config.ts';
import { siteConfig } from './site.ts';
import { adminKeyFile, copyMerged, openRepository, syncBeforeJobs } from './src/agent-project.ts';
import { checkDocsFolder, domainOf, nameOfDocs } from './src/docs-folder.ts';
import { choosePort, holdPort } from './src/ports.ts';
import { buildSite, indexAndSay } from './src/read-docs.ts';
import { serveSite } from './src/serve-site.ts';
import { StartError } from './src/start-error.ts';

export interface DemoOptions {
  /** The Markdown and MDX files. The default is Docent's documentation. */
  docsFolder?: string | undefined;
  /** The port of Docent. The default is 4320 or the next free port; 0 is any port. */
  port?: number | undefined;
  /** The port of the site. The default is 4321 or the next free port; 0 is any port. */
  sitePort?: number | undefined;
  /** The folder of the database, the index, the keys, and the built site. */
  dataFolder?: string | undefined;
  log?: ((line: string) => void) | undefined;
  /** The environment with secrets and the log level. */
  variables?: NodeJS.ProcessEnv | undefined;
}

export interface Demo {
  siteUrl: string;
  docentUrl: string;
  /** The dashboard, or where its first account is made. */
  dashboard: string | undefined;
  /** The public assistant key in the site's script tag. */
  key: string;
  docsFolder: string;
  /** How to create agent jobs. `undefined` if git isn't installed. */
  agent: { jobUrl: string; adminKeyFile: string } | undefined;
  /** The model and the index, for people. */
  summary: { name: string; pages: number; model: string; index: string };
  /** Updates the index, and then the site. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

const ownDocs = fileURLToPath(new URL('docs', import.meta.url));
const usualDataFolder = fileURLToPath(new URL('../.docent', import.meta.url));

export async function startDemo(options: DemoOptions = {}): Promise<Demo> {
  const say = options.log ?? console.log;
  const docsFolder = options.docsFolder === undefined ? ownDocs : resolve(options.docsFolder);
  await checkDocsFolder(docsFolder);
  // The service finds any port by itself.
  const port =
    options.port === 0
      ? 0
      : await choosePort(
          { purpose: 'Docent', option: '--port', usual: 4320, wanted: options.port },
          say,
        );
  const sitePort = await choosePort(
    {
      purpose: 'the site',
      option: '--site-port',
      usual: 4321,
      wanted: options.sitePort,
      taken: [port],
    },
    say,
  );
  // Reading the documentation takes a while.
  await using held = await holdPort(sitePort);
  const dataFolder = resolve(options.dataFolder ?? usualDataFolder);
  const siteUrl = `http://localhost:${sitePort}`;
  const settings = demoConfig(docsFolder, port, sitePort, dataFolder);
  const { domain } = settings.sites[0];
  const repository = await openRepository(dataFolder, domain, say);
  const loaded = checkConfig(
    { ...settings, projects: repository ? [projectOf(settings.sites[0], repository.path)] : [] },
    {
      folder: fileURLToPath(new URL('.', import.meta.url)),
      // Keeps the terminal readable. To see the service's log, set LOG_LEVEL=info.
      variables: { LOG_LEVEL: 'error', ...(options.variables ?? process.env) },
    },
  );
  const { config } = loaded;
  const site = config.sites[0];
  if (!site) throw new Error('demoConfig must return one site');

  /** Only one task at a time reads and writes the folder. */
  let running = Promise.resolve();
  const oneAtATime = (work: () => Promise<void>): Promise<void> => {
    const task = running.then(work);
    running = task.catch(() => undefined);
    return task;
  };
  let onMerged: () => void = () => undefined;
  const docent = await startDocent(loaded, { schedule: false, onMerged: () => onMerged() }).catch(
    (error: unknown) => {
      const isRunning = error instanceof Error && 'code' in error && error.code === 'conflict';
      if (!isRunning) throw error;
      throw new StartError(
        `The demo is already running, perhaps in another terminal. Stop it there first. Its data is in ${dataFolder}.`,
      );
    },
  );
  let server: PreviewServer | undefined;
  try {
    if (!(await fetch(`${docent.url}/docent.js`, { method: 'HEAD' })).ok) {
      say(
        'The widget isn’t built, so the pages have no assistant. Run `pnpm build`, and start again.',
      );
    }
    const key = await demoKey(docent, site.organization, dataFolder);
    const outDir = resolve(dataFolder, 'site');
    const buildOnce = () => buildSite(docsFolder, site.name, outDir, { docent, key, site, say });
    if (repository) await syncBeforeJobs(docsFolder, repository, say);
    const pages = await indexAndSay(docent, site, say);
    await buildOnce();
    const readAgain = async () => {
      await indexAndSay(docent, site, say);
      await buildOnce();
    };
    if (repository) {
      onMerged = () => {
        oneAtATime(async () => {
          await copyMerged(docsFolder, repository, say);
          await readAgain();
        }).catch((error: unknown) => say(`    ! ${(error as Error).message}`));
      };
    }
    await held.release();
    server = await serveSite(siteConfig({ docsFolder, siteName: site.name }), outDir, sitePort);
    const started = server;
    return {
      siteUrl,
      docentUrl: docent.url,
      dashboard: docent.setupUrl ?? docent.dashboardUrl,
      key,
      docsFolder,
      summary: {
        name: site.name,
        pages,
        model: modelOf(site, config),
        index: 'embedded, in this process',
      },
      agent: repository && {
        jobUrl: `${docent.url}/v2/agent/${domain}/job`,
        adminKeyFile: await adminKeyFile(docent, site.organization, dataFolder),
      },
      refresh: () =>
        oneAtATime(async () => {
          if (repository) await syncBeforeJobs(docsFolder, repository, say);
          await readAgain();
        }),
      async close() {
        onMerged = () => undefined;
        await running;
        await started.close();
        await docent.close();
      },
    };
  } catch (error) {
    await server?.close();
    await docent.close();
    throw error;
  }
}

type Site = Config['sites'][number];

/** A project for the folder's repository, with the same model as the site. */
function projectOf(
  site: { domain: string; organization: string; model?: string },
  repository: string,
) {
  const { domain, organization, model } = site;
  const ownModel = model === undefined ? {} : { model };
  return { id: domain, organization, repository, baseBranch: 'main', site: domain, ...ownModel };
}

/** `docent.config.ts` with the current ports, and with the folder and the name of other documentation. */
function demoConfig(docsFolder: string, port: number, sitePort: number, dataFolder: string) {
  const [ownSite] = ownConfig.sites;
  if (!ownSite) throw new Error('docent.config.ts needs a site');
  const name = nameOfDocs(docsFolder);
  const isOwn = docsFolder === ownDocs;
  return {
    ...ownConfig,
    server: { ...ownConfig.server, port, dataFolder, shutdownGraceSeconds: 5 },
    sites: [
      {
        ...ownSite,
        ...(isOwn ? {} : { domain: domainOf(name), name, starterQuestions: [] }),
        // The demo builds its own site, whatever generator the folder is for.
        docs: {
          folder: docsFolder,
          generator: 'plain' as const,
          baseUrl: `http://localhost:${sitePort}`,
        },
        allowedOrigins: [`http://localhost:${sitePort}`, `http://127.0.0.1:${sitePort}`],
      },
    ] as const,
  };
}

/** An assistant key is public, so it can be stored in a file. It works for all sites of the organization. */
async function demoKey(docent: Docent, organization: string, dataFolder: string): Promise<string> {
  const file = resolve(dataFolder, 'demo-key');
  const { keys } = docent.services;
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (kept && (await keys.find(kept))?.organization === organization) return kept;
  const { token } = await keys.create({ kind: 'assistant', organization, name: 'demo site' });
  writeFileSync(file, `${token}\n`);
  return token;
}

function modelOf(site: Site, config: Config): string {
  const model = site.model === undefined ? undefined : config.models[site.model];
  if (!model) return 'none: answers quote the pages (how to set one: /models)';
  return `${model.model} (${model.provider})`;
}
