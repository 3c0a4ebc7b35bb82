/** The entry of the worker threads. */
import { previewTasks } from './cli/preview/preview-tasks.ts';
import { agentTasks } from './agent/agent-tasks.ts';
import { parseTasks } from './docs/parsing/parse-tasks.ts';
import { readerTasks } from './reader/reader-tasks.ts';
import { serveTasks } from './platform/workers/serve-tasks.ts';

serveTasks({ ...parseTasks, ...agentTasks, ...readerTasks, ...previewTasks });
