/** What the page of jobs needs beside the endpoints of jobs. Not in the service document. */
import { AgentJob } from '@docent/shared/agent';
import { JobView } from '@docent/shared/job-pages';
import { AllJobsQuery, AllJobsReply, ProjectsReply } from '@docent/shared/jobs-list';
import { DocentError } from '../../platform/errors.ts';
import {
  editorWrites,
  endpointsOf,
  json,
  viewerReads,
  toPage,
} from '../../platform/http/endpoint.ts';
import { type Projects, repositoryAddress } from '../../platform/tenants/projects.ts';
import { readInstructions, titleOf, userInstructions } from '../jobs/instructions.ts';
import { type Caller, callerActor } from '../../platform/auth/caller.ts';
import { idempotencyKeyOf } from '../../platform/http/request.ts';
import { type AgentDeps, idempotency, noteReplay, replayHeader, show } from './routes.ts';

const endpoint = endpointsOf<AgentDeps>('Agent jobs');

const theirs = ({ organization }: Caller, projects: Pick<Projects, 'all'>) =>
  projects.all().filter((project) => project.organization === organization);

export const jobListEndpoints = [
  endpoint('GET /v1/projects', {
    id: 'listProjects',
    summary: 'Projects of the organization',
    who: viewerReads,
    reply: ProjectsReply,
    run: ({ caller }, { projects, config }) => ({
      projects: theirs(caller, projects).map((project) => ({
        id: project.id,
        repository: project.repository === undefined ? '' : repositoryAddress(project.repository),
        site: project.site ?? null,
        model: project.model ?? null,
        docsRoot: project.docsRoot,
        baseBranch: project.baseBranch ?? null,
        draft: project.draft,
        ...project.pullRequest,
        from: project.connection === undefined ? ('file' as const) : ('dashboard' as const),
      })),
      models: Object.keys(config.models),
    }),
  }),
  endpoint('GET /v1/jobs', {
    id: 'listAllJobs',
    summary: 'Jobs of all projects, newest first',
    who: viewerReads,
    query: AllJobsQuery,
    reply: AllJobsReply,
    errors: ['not_found'],
    async run({ query, caller }, deps) {
      const { projects, jobs, database } = deps;
      const { project: named, status, cursor, limit } = query;
      const ids =
        named === undefined
          ? theirs(caller, projects).map(({ id }) => id)
          : [(await projects.forCaller(named, caller)).id];
      const { organization } = caller;
      const found = await jobs.list(ids, { organization, status, cursor, take: limit + 1 });
      const { rows, next } = toPage(found, limit, ({ createdAt, id }) => `${createdAt}_${id}`);
      const untitled = rows.filter(({ title }) => title === null).map(({ id }) => id);
      const instructions = await userInstructions(database, untitled, 'first');
      return {
        jobs: rows.map((job) => ({
          ...show(deps, job),
          title: titleOf(job, instructions.get(job.id)),
          project: job.project,
        })),
        ...next,
      };
    },
  }),
  endpoint('GET /v1/projects/{projectId}/jobs/{id}', {
    id: 'viewJob',
    summary: 'One job as people see it, with changes that are not published',
    who: viewerReads,
    limit: 'none',
    reply: JobView,
    run: ({ project, params }, { jobViews }) => jobViews.read(project, params.id),
  }),
  endpoint('POST /v1/projects/{projectId}/jobs/{id}/retry', {
    id: 'retryJob',
    summary: 'Give a failed job its last instruction again',
    description: `Words are said again in the same conversation, where earlier edits are kept. A command would find its own edits there, so it gets a new job. ${idempotency}`,
    who: editorWrites,
    limit: 'instruction',
    reply: json(AgentJob, 'The job, which is active: the same, or a new one.', {
      headers: replayHeader,
    }),
    errors: ['conflict'],
    async run({ project, params, caller, request, response }, deps) {
      const { database, jobs } = deps;
      const failed = await jobs.read(project.id, params.id);
      // Somebody was faster.
      if (failed.status === 'active') return show(deps, failed);
      if (failed.status === 'completed') {
        throw new DocentError('conflict', 'Only a job that failed can be tried again.');
      }
      const instructions = await readInstructions(database, failed.id);
      const last = instructions.findLast(({ role }) => role === 'user');
      if (!last) throw new DocentError('conflict', 'This job has no instruction.');
      const again = { by: callerActor(caller.id), idempotencyKey: idempotencyKeyOf(request) };
      const { origin, isDraft, allowLarge } = failed;
      const paths = failed.paths ?? undefined;
      const { job, isReplay } = last.command
        ? await jobs.create({
            project,
            origin,
            isDraft,
            allowLarge,
            paths,
            instructions: [last],
            ...again,
          })
        : await jobs.instruct(project.id, failed.id, { prompt: last.content, ...again });
      noteReplay(response, isReplay);
      return show(deps, job);
    },
  }),
];
