import { type RunTaskOf, runInWorker } from '../platform/workers/worker-pool.ts';
import type { agentTasks } from './agent-tasks.ts';

export type RunAgentTask = RunTaskOf<typeof agentTasks>;

export const runAgentTask = runInWorker as RunAgentTask;
