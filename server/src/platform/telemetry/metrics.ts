import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface EndedAnswer {
  domain: string;
  /** How it ended: `complete`, `stopped`, `failed`. */
  status: string;
  outcome: string | undefined;
  /** From the question to the first text, if there was any. */
  firstTextMs: number | undefined;
  searchMs: number | undefined;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Prometheus counters of this process. They cost a few microseconds per answer and nothing per token. */
export function createMetrics(running: {
  answers: () => number;
  /** Counts the jobs of all processes. Rejects if the database is away. */
  jobs: () => Promise<{ queued: number; running: number }>;
}) {
  const registry = new Registry();
  const registers = [registry];
  const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
  // Event loop lag, memory, processor time, garbage collection.
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'docent_http_requests_total',
    help: 'Requests by route and status; 429 are those that limits and budgets refused.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const answers = new Counter({
    name: 'docent_answers_total',
    help: 'Answers by how they ended and came out.',
    labelNames: ['domain', 'status', 'outcome'],
    registers,
  });
  const firstText = new Histogram({
    name: 'docent_answer_first_text_seconds',
    help: 'From a question to the first text of its answer.',
    labelNames: ['domain'],
    buckets,
    registers,
  });
  const search = new Histogram({
    name: 'docent_search_seconds',
    help: 'How long the search for an answer took.',
    labelNames: ['domain'],
    buckets,
    registers,
  });
  const tokens = new Counter({
    name: 'docent_model_tokens_total',
    help: 'Tokens as language models counted them.',
    labelNames: ['domain', 'direction'],
    registers,
  });
  const jobs = new Counter({
    name: 'docent_agent_jobs_total',
    help: 'Rounds of agent jobs by how they ended; the code says why where they failed.',
    labelNames: ['project', 'outcome', 'code'],
    registers,
  });
  new Gauge({
    name: 'docent_answers_running',
    help: 'Answers that are being made now.',
    registers,
    collect() {
      this.set(running.answers());
    },
  });
  new Gauge({
    name: 'docent_agent_jobs_active',
    help: 'Agent jobs that wait and that run, over all processes.',
    labelNames: ['phase'],
    registers,
    async collect() {
      // Omit this figure, and report the others.
      this.reset();
      const jobs = await running.jobs().catch(() => undefined);
      if (!jobs) return;
      this.set({ phase: 'queued' }, jobs.queued);
      this.set({ phase: 'running' }, jobs.running);
    },
  });

  return {
    requested(method: string, route: string, status: number): void {
      requests.inc({ method, route, status: String(status) });
    },

    answered(answer: EndedAnswer): void {
      const { domain, status, outcome = 'none' } = answer;
      answers.inc({ domain, status, outcome });
      if (answer.firstTextMs !== undefined) {
        firstText.observe({ domain }, answer.firstTextMs / 1_000);
      }
      if (answer.searchMs !== undefined) search.observe({ domain }, answer.searchMs / 1_000);
      if (answer.inputTokens) tokens.inc({ domain, direction: 'input' }, answer.inputTokens);
      if (answer.outputTokens) tokens.inc({ domain, direction: 'output' }, answer.outputTokens);
    },

    jobEnded(project: string, outcome: 'completed' | 'failed', code = 'none'): void {
      jobs.inc({ project, outcome, code });
    },

    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
