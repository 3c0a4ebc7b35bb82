/** The entry of the worker threads. */
import { agentTasks } from './agent/agent-tasks.ts';
import { parseTasks } from './docs/parsing/parse-tasks.ts';
import { readerTasks } from './reader/reader-tasks.ts';
import { serveTasks } from './platform/workers/serve-tasks.ts';

serveTasks({ ...parseTasks, ...agentTasks, ...readerTasks });
