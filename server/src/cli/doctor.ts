import type { Command } from 'commander';
import { styleText } from 'node:util';
import { ConfigError, findConfig, loadConfig } from '../platform/config/load.ts';
import { configOption, plural } from './command.ts';
import { type Finding, fine, messageOf, note, problem } from '../owner/doctor/finding.ts';

interface DoctorOptions {
  config?: string;
  model?: boolean;
}

/** `docent doctor`: everything that keeps the assistant from working. Exits with 1 if there's a problem. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('find what keeps the assistant from working, and say how to fix it')
    .addOption(configOption())
    .option('--model', 'ask each model a question, which may cost a little')
    .action(diagnose);
}

async function diagnose(options: DoctorOptions): Promise<void> {
  let problems = 0;
  for await (const finding of findings(options)) {
    if (finding.kind === 'problem') problems += 1;
    show(finding);
  }
  console.log(problems === 0 ? '\nNo problems.' : `\n${plural(problems, 'problem')}.`);
  if (problems > 0) process.exitCode = 1;
}

function show(finding: Finding): void {
  const mark = {
    fine: styleText('green', '✓'),
    note: styleText('dim', '-'),
    problem: styleText('red', '✗'),
  }[finding.kind];
  console.log(`${mark} ${finding.text}`);
  if (finding.kind === 'problem' && finding.fix) console.log(`  → ${finding.fix}`);
}

async function* findings(options: DoctorOptions): AsyncGenerator<Finding> {
  yield fine(`Node.js ${process.versions.node}.`);
  const loaded = await loadConfig(options.config).catch((error: unknown) => {
    if (error instanceof ConfigError) return error;
    throw error;
  });
  if (loaded instanceof ConfigError) {
    for (const mistake of loaded.mistakes) yield problem(`The configuration: ${mistake}.`);
    return;
  }
  yield fine(`The configuration ${options.config ?? findConfig()} is valid.`);

  const { checkDisk, checkPort, checkProxy } = await import('../owner/doctor/check-machine.ts');
  const { server } = loaded.config;
  yield await checkDisk(server.dataFolder);
  yield await checkPort(server);
  yield* checkProxy(server);

  const { openServices } = await import('../open-services.ts');
  const services = await openServices(loaded).catch(messageOf);
  if (typeof services === 'string') {
    const fix = 'Check DATABASE_URL, and that PostgreSQL runs.';
    yield problem(
      `The database can't be opened: ${services}`,
      loaded.environment.databaseUrl === undefined ? undefined : fix,
    );
    return;
  }
  try {
    const { isShared } = services.store;
    yield fine(
      isShared
        ? 'The database (PostgreSQL) opens.'
        : `The database in ${server.dataFolder} opens, and this user can write to it.`,
    );
    const { isServiceOld, restartNeeded } = await import('../platform/config/load.ts');
    if (await isServiceOld(services.database, services.file)) {
      yield problem(restartNeeded, 'Restart it.');
    }
    const health = await services.retriever.check().catch(messageOf);
    const engine = services.config.search.engine;
    yield health === 'ready'
      ? fine(`The search engine (${engine}) is ready.`)
      : health === 'fallback'
        ? problem(`The search engine (${engine}) is down, and the fallback answers.`, 'Start it.')
        : problem(`The search engine (${engine}): ${health}`, 'Check the settings of "search".');
    const { checkModels } = await import('../owner/doctor/check-models.ts');
    for (const finding of await checkModels(services, options.model === true)) yield finding;
    const { checkEmbedder } = await import('../owner/doctor/check-models.ts');
    if (options.model)
      yield* (await checkEmbedder({ ...services, sites: services.sites.all() })) ?? [];
    else if (loaded.config.search.embedder) yield note('To measure the embedder, add --model.');
    const { checkSite } = await import('../owner/doctor/check-site.ts');
    for (const site of services.sites.all()) {
      for (const finding of await checkSite(site, services)) yield finding;
    }
    const { sameModels } = await import('../platform/config/schema.ts');
    const same = sameModels(services.config);
    if (same !== undefined) yield note(same);
    if (server.publicUrl === undefined) {
      yield note('server.publicUrl is not set, so script tags lead to this machine.');
    }
  } finally {
    await services.close();
  }
}
