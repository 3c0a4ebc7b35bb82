/** `docent eval`: how well a site answers its own test questions. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { DocentError } from '../platform/errors.ts';
import { configOption, withServices, createProgressBar } from './command.ts';
import type { Evaluation } from './eval/evaluate.ts';
import type { Ranked } from './eval/metrics.ts';

interface EvalOptions {
  config?: string;
  questions?: string;
  json?: boolean;
  answers: boolean;
  minRecall?: string;
  minNdcg?: string;
  minRefusals?: string;
  maxFalseRefusals?: string;
  against?: string;
  maxLost?: string;
  summary?: string;
}

export function addEvalCommand(program: Command): void {
  program
    .command('eval [domain]')
    .description(
      'ask a site its test questions, and print scores for search, refusals, and citations',
    )
    .addOption(configOption())
    .option(
      '--questions <file>',
      'questions as JSON lines (default: <domain>.eval.jsonl beside the configuration)',
    )
    .option('--json', 'print JSON')
    .option('--no-answers', 'score the search only; no model is asked')
    .option('--min-recall <share>', 'fail below this recall@5')
    .option('--min-ndcg <share>', 'fail below this nDCG@5')
    .option('--min-refusals <share>', 'fail below this share of unanswerable questions refused')
    .option('--max-false-refusals <share>', 'fail above this share of answerable questions refused')
    .option(
      '--against <ref>',
      'instead: which questions the pages here answer and those of a commit or branch don’t, and the reverse; no model is asked, and nothing has to be indexed',
    )
    .option('--max-lost <count>', 'with --against: fail if more answers are lost', '0')
    .option('--summary <file>', 'with --against: write the result as Markdown')
    .action(run);
}

async function run(domain: string | undefined, options: EvalOptions): Promise<void> {
  if (options.against !== undefined) return runAgainst(domain, options.against, options);
  const limits = readLimits(options);
  await withServices(options.config, async (services) => {
    const [{ createModels }, { createExtractiveModel }, { readEvalSet }, { evaluate }] =
      await Promise.all([
        import('../platform/models/model.ts'),
        import('../reader/extractive/extractive-model.ts'),
        import('./eval/eval-set.ts'),
        import('./eval/evaluate.ts'),
      ]);
    const sites = domain === undefined ? services.sites.all() : [services.sites.named(domain)];
    const models = await createModels(
      services.config,
      services.environment,
      createExtractiveModel({ paceMs: 0 }),
    );
    const results: Record<string, Evaluation> = {};
    for (const site of sites) {
      const file = usualFile(options.config, site.domain);
      // The test lists of pinned answers need no file.
      const { answers } = await services.words.list(site.domain);
      const needsNone = options.questions === undefined && answers.length > 0 && !existsSync(file);
      const questions = needsNone ? [] : await readEvalSet(options.questions ?? file);
      const held = await services.retriever.hashes(site.domain);
      if (held.size === 0)
        throw new DocentError(
          'bad_request',
          `${site.domain} is not indexed; run \`docent index\` first.`,
        );
      const bar = createProgressBar(`Asking ${site.domain}`);
      results[site.domain] = await evaluate(
        site,
        questions,
        { ...services, models },
        {
          withAnswers: options.answers,
          onProgress: (done) => bar.update({ done, total: questions.length, at: '' }),
        },
      ).finally(() => bar.clear());
    }
    if (options.json) console.log(JSON.stringify(results, null, 2));
    else for (const [name, result] of Object.entries(results)) print(name, result);
    const missed = Object.entries(results).flatMap(([name, result]) =>
      misses(name, result, limits),
    );
    for (const miss of missed) console.error(miss);
    if (missed.length > 0) process.exitCode = 1;
  });
}

async function runAgainst(
  domain: string | undefined,
  ref: string,
  { config, questions, json, summary, maxLost = '0' }: EvalOptions,
): Promise<void> {
  if (!/^\d{1,6}$/.test(maxLost)) {
    throw new DocentError('bad_request', `--max-lost "${maxLost}" isn't a count, such as 2.`);
  }
  const [{ compareWithCommit, describeComparison }, { readEvalSet }] = await Promise.all([
    import('./eval/against.ts'),
    import('./eval/eval-set.ts'),
  ]);
  await withServices(config, async ({ config: { sites: all }, sites }) => {
    const chosen = domain === undefined ? all : [sites.named(domain)];
    const results = [];
    for (const site of chosen) {
      const set = await readEvalSet(questions ?? usualFile(config, site.domain));
      results.push(await compareWithCommit(site, set, ref));
    }
    if (json) console.log(JSON.stringify(results, null, 2));
    for (const { domain: name, questions: count, gained, lost } of json ? [] : results) {
      console.log(
        `${name}: ${count} questions, ${gained.length} answers gained, ${lost.length} lost against ${ref}`,
      );
      for (const question of gained) console.log(`  + ${question}`);
      for (const question of lost) console.log(`  - ${question}`);
    }
    if (summary !== undefined) await writeFile(summary, describeComparison(results, ref));
    const lost = results.reduce((sum, result) => sum + result.lost.length, 0);
    if (lost <= Number(maxLost)) return;
    console.error(`${lost} answers are lost, more than ${maxLost}.`);
    process.exitCode = 1;
  });
}

function usualFile(config: string | undefined, domain: string): string {
  const name = `${domain}.eval.jsonl`;
  const beside = join(config === undefined ? '.' : dirname(config), name);
  return existsSync(beside) ? beside : name;
}

type Limits = Record<'recall' | 'ndcg' | 'refusals' | 'falseRefusals', number | undefined>;

function readLimits(options: EvalOptions): Limits {
  const share = (name: string, text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const value = Number(text);
    if (text.trim() !== '' && value >= 0 && value <= 1) return value;
    throw new DocentError(
      'bad_request',
      `--${name} "${text}" isn't a share. Write a number from 0 to 1, such as 0.9.`,
    );
  };
  return {
    recall: share('min-recall', options.minRecall),
    ndcg: share('min-ndcg', options.minNdcg),
    refusals: share('min-refusals', options.minRefusals),
    falseRefusals: share('max-false-refusals', options.maxFalseRefusals),
  };
}

function misses(domain: string, evaluation: Evaluation, limits: Limits): string[] {
  const { retrieval, answers, words } = evaluation;
  const below = (name: string, value: number | undefined, least: number | undefined): string[] =>
    least !== undefined && (value ?? 0) < least
      ? [`${domain}: ${name} is ${show(value)}, below the minimum of ${least}.`]
      : [];
  const falseRefusals = answers?.falseRefusals ?? 0;
  return [
    ...(words?.failures.map((failure) => `${domain}: ${failure}`) ?? []),
    ...below('recall@5', retrieval.questions?.recall5, limits.recall),
    ...below('nDCG@5', retrieval.questions?.ndcg5, limits.ndcg),
    ...below('the share of refusals', answers?.refusalRecall, limits.refusals),
    ...(limits.falseRefusals !== undefined && falseRefusals > limits.falseRefusals
      ? [
          `${domain}: false refusals are ${show(falseRefusals)}, above the maximum of ${limits.falseRefusals}.`,
        ]
      : []),
  ];
}

const kinds = { questions: 'questions', followUps: 'follow-ups', fromPage: 'asked from a page' };

function print(domain: string, { retrieval, answers, words }: Evaluation): void {
  console.log(domain);
  if (words) {
    const passed = words.tests - words.failures.length;
    console.log(`  tests of the owner’s words       ${passed} of ${words.tests} pass`);
  }
  if (Object.keys(retrieval).length === 0) return;
  console.log('  search               n   recall@5  nDCG@5  nDCG@10  MRR');
  for (const [kind, score] of Object.entries(retrieval)) {
    const { questions, words, vectors } = score;
    const row = (name: string, one: Ranked, count = ''): void => {
      const { recall5, ndcg5, ndcg10, reciprocalRank } = one;
      console.log(
        `  ${name.padEnd(18)} ${count.padStart(4)}   ${show(recall5)}     ${show(ndcg5)}   ${show(ndcg10)}    ${show(reciprocalRank)}`,
      );
    };
    row(kinds[kind as keyof typeof kinds], score, String(questions));
    if (words) row('  by words', words);
    if (vectors) row('  by vectors', vectors);
  }
  if (!answers) return;
  console.log('  answers');
  console.log(`  unanswerable questions refused   ${show(answers.refusalRecall)}`);
  const { offTopic, uncovered } = answers;
  if (offTopic)
    console.log(`    off-topic (${offTopic.questions})`.padEnd(35) + show(offTopic.recall));
  if (uncovered)
    console.log(`    uncovered (${uncovered.questions})`.padEnd(35) + show(uncovered.recall));
  console.log(`  answerable questions refused     ${show(answers.falseRefusals)}`);
  console.log(`    as off-topic                   ${show(answers.falselyOffTopic)}`);
  console.log(`    as uncovered                   ${show(answers.falselyUncovered)}`);
  console.log(`  citations that are sources       ${show(answers.validCitations)}`);
  if (answers.failed > 0) console.log(`  questions that failed            ${answers.failed}`);
}

function show(value: number | undefined): string {
  return value === undefined ? '–' : value.toFixed(3);
}
