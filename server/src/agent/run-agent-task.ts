import type { RunTaskOf } from '../platform/workers/worker-pool.ts';
import { runInWorker } from '../platform/workers/workers.ts';
import type { agentTasks } from './agent-tasks.ts';

export type RunAgentTask = RunTaskOf<typeof agentTasks>;

export const runAgentTask = runInWorker as RunAgentTask;
