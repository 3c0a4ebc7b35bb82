/** Builds the services of a server process. Nothing runs yet, and nothing listens (`start.ts`). */
import { forgetWords } from './agent/jobs/forget.ts';
import { createConnectedProjects } from './agent/connect/connected-projects.ts';
import { createConnections } from './agent/connect/connections.ts';
import { createHostHealth } from './agent/connect/host-health.ts';
import { createAgent } from './agent/create-agent.ts';
import type { LocalPull } from './agent/forge/local/pulls.ts';
import { countActive } from './agent/jobs/read-jobs.ts';
import { createIndexer } from './docs/indexer/indexer.ts';
import { createSchedule } from './docs/indexer/schedule.ts';
import { endpoints, permittedTo } from './endpoints.ts';
import type { BaseServices } from './open-services.ts';
import { createSpend } from './budgets/spend.ts';
import { createChallenges } from './reader/challenge/routes.ts';
import { createQuestionLimits } from './reader/ask/question-limits.ts';
import { createWidgetBuild } from './platform/http/widget-files.ts';
import { createLimits } from './platform/limits/limits.ts';
import { describeApi } from './platform/http/openapi/document.ts';
import { createRequireAccess } from './accounts/require-access.ts';
import type { Models } from './platform/models/model.ts';
import type { Processes } from './platform/store/processes.ts';
import type { EventLoop } from './platform/telemetry/event-loop.ts';
import { createMetrics } from './platform/telemetry/metrics.ts';
import type { SenderOptions } from './notify/webhooks/sender.ts';
import { createWebhooks } from './notify/webhooks/webhooks.ts';
import { createDigests } from './reader/analytics/digest/digest.ts';
import { createReaderJobs } from './reader/analytics/jobs/reader-jobs.ts';
import { createGuesses } from './accounts/people/guesses.ts';
import { createPageShares, type PageOf, pagePath } from './agent/shares/page-shares.ts';
import { createSessions } from './accounts/people/sessions.ts';
import { createSignIn } from './accounts/people/sign-in.ts';
import { createAffectedQuestions } from './reader/gaps/affected-questions.ts';
import { createAskAgain } from './reader/gaps/ask-again.ts';
import { createThreads } from './reader/conversations/threads.ts';
import { createPaidSearch } from './reader/search/paid-search.ts';
import { createAnswerStreams, type StreamTimeouts } from './reader/stream/answer-streams.ts';
import { createStoredAnswers } from './reader/stream/stored-answers.ts';

export interface ComposeOptions {
  /** Called when a pull request of a local repository is merged on its page. */
  onMerged?: (project: string, pull: LocalPull) => void;
  /** How long an answer is kept for readers who come back; tests shorten it. */
  streamTimeouts?: Partial<StreamTimeouts>;
  /** How webhooks are sent; tests set it. */
  webhooks?: SenderOptions;
  /** The widget's build, when it isn't the one of this workspace. */
  widgetFolder?: string;
}

/** What the services know of the server that runs them. */
export interface ServerState {
  /** Empty until the server listens. */
  url: string;
  dashboardUrl: string;
  /** If the dashboard has a port of its own. */
  dashboardPort: number | undefined;
  isStopping: boolean;
}

export type Services = ReturnType<typeof composeServices>;

export function composeServices(
  base: BaseServices & {
    models: Models;
    processes: Processes;
    state: ServerState;
    eventLoop: EventLoop;
  },
  options: ComposeOptions,
) {
  const { config, database, log, projects, retriever, sites, state } = base;
  /** Of the dashboard. */
  const baseUrl = () => config.dashboard.publicUrl ?? state.dashboardUrl;
  let api: Record<string, unknown> | undefined;
  const sessions = createSessions(base);
  const limits = createLimits(base);
  const requireAccess = createRequireAccess({ ...base, sessions });
  const signIn = createSignIn({ ...base, sessions, permittedTo });
  const webhooks = createWebhooks(base, options.webhooks);
  const spend = createSpend({ ...base, webhooks });
  const indexer = createIndexer({ ...base, onEnded: () => askAgain.wake() });
  const storedAnswers = createStoredAnswers(base);
  const streams = createAnswerStreams({
    ...base,
    storedAnswers,
    timeouts: options.streamTimeouts,
  });
  const metrics = createMetrics({
    answers: () => streams.count,
    jobs: () => countActive(database),
  });
  const schedule = createSchedule({ ...base, indexer });
  const paidSearch = createPaidSearch({
    retriever,
    spend,
    hasEmbedder: config.search.embedder !== undefined,
  });
  const askAgain = createAskAgain({
    ...base,
    spend,
    indexer,
    paidSearch,
    wakeIndexer: () => void schedule.wake(),
  });
  const index = async (domains: readonly string[]) => {
    await Promise.all(domains.map((domain) => indexer.runs.request(domain)));
    if (domains.length > 0) void schedule.wake();
  };
  const onMerged = (id: string, pull: LocalPull) => {
    options.onMerged?.(id, pull);
    const { repository } = projects.byId(id) ?? {};
    index(repository === undefined ? [] : sites.builtFrom(repository, pull.base)).catch(
      (err: unknown) => log.error({ err }, 'the sites of a merged change are not indexed'),
    );
  };
  const readerJobs = createReaderJobs({
    ...base,
    // The agent needs what readers say.
    createJob: (request) => agent.jobFromReaders(request),
    outcomesOf: (project, jobIds) => agent.jobOutcomes(project, jobIds),
  });
  const agent = createAgent({
    ...base,
    spend,
    metrics,
    deliveries: webhooks,
    baseUrl,
    index,
    onMerged,
    affectedQuestions: createAffectedQuestions({
      ...base,
      linkTo: (path) => `${baseUrl()}/dashboard${path}`,
    }),
    readers: readerJobs.findings,
    onMergeNoted: (tx, merged) => askAgain.afterMerge(tx, merged),
  });
  const connections = createConnections({ ...base, forges: agent.forges });
  return {
    ...base,
    webhooks,
    sessions,
    shares: createPageShares(base),
    guesses: createGuesses(base),
    signIn,
    needsSetup: signIn.needsSetup,
    baseUrl,
    requireAccess,
    permittedTo,
    api: () => (api ??= describeApi(endpoints)),
    spend,
    indexer,
    schedule,
    streams,
    storedAnswers,
    threads: createThreads(base),
    metrics,
    paidSearch,
    askAgain,
    challenges: createChallenges(base),
    limits,
    questionLimits: createQuestionLimits(base),
    agent,
    jobs: agent.jobs,
    forgetWords,
    forges: agent.forges,
    connections,
    connectedProjects: createConnectedProjects({ ...base, forges: agent.forges, connections }),
    hostHealth: createHostHealth({ ...base, forges: agent.forges }),
    linkTo: agent.linkTo,
    /** For people without an account, who may not reach a dashboard with an address of its own. */
    sharedLinkTo: (page: PageOf) => (config.server.publicUrl ?? state.url) + pagePath(page),
    jobViews: agent.jobViews,
    pullViews: agent.pullViews,
    pullStates: agent.pullStates,
    talks: agent.talks,
    automations: agent.automations,
    readerJobs,
    digests: createDigests({ ...base, webhooks, readerJobs, baseUrl }),
    widget: createWidgetBuild(options.widgetFolder),
  };
}
