/** Automations of projects. Not in the service document. */
import {
  Automation,
  AutomationChange,
  AutomationRun,
  AutomationRunsQuery,
  AutomationRunsReply,
  AutomationsQuery,
  AutomationsReply,
  CodeProposals,
  NewAutomation,
} from '@docent/shared/automations';
import { callerActor } from '../../platform/auth/caller.ts';
import {
  editorWrites,
  endpointsOf,
  json,
  viewerReads,
  toPage,
} from '../../platform/http/endpoint.ts';
import { idempotencyKeyOf } from '../../platform/http/request.ts';
import type { Projects } from '../../platform/tenants/projects.ts';
import type { Automations } from './automations.ts';

interface AutomationDeps {
  automations: Automations;
  projects: Projects;
}

const endpoint = endpointsOf<AutomationDeps>('Agent jobs');

export const automationEndpoints = [
  endpoint('GET /v1/automations', {
    id: 'listAutomations',
    summary: 'Automations of the organization, with their last runs',
    who: viewerReads,
    query: AutomationsQuery,
    reply: AutomationsReply,
    errors: ['not_found'],
    async run({ query, caller }, { automations, projects }) {
      if (query.project !== undefined) await projects.forCaller(query.project, caller);
      const own = projects.all().filter(({ organization }) => organization === caller.organization);
      return {
        automations: await automations.list(caller.organization, query.project),
        projects: own.map(({ id, model, site, code }) => ({
          id,
          hasModel: model !== undefined,
          site: site ?? null,
          code: code.map(({ name }) => name),
        })),
      };
    },
  }),
  endpoint('GET /v1/projects/{projectId}/code/{repository}/proposals', {
    id: 'proposeAutomation',
    summary:
      'Pages that the last 30 days of a code repository may concern, and what a job would cost',
    description: 'Reads the repositories, asks no model, and starts nothing.',
    who: viewerReads,
    parameters: { repository: 'A name of the project’s `code`.' },
    reply: CodeProposals,
    errors: ['conflict', 'unavailable'],
    run: ({ project, params, signal }, { automations }) =>
      automations.propose(project, params.repository, signal),
  }),
  endpoint('POST /v1/automations', {
    id: 'createAutomation',
    summary: 'Create an automation',
    description:
      'One that waits for something new (`"on": "change"`) looks for the first time at once. What is in a code repository by then doesn’t count.',
    who: editorWrites,
    body: NewAutomation,
    reply: json(Automation, 'The automation.', { status: 201 }),
    errors: ['not_found', 'conflict'],
    run: async ({ body, caller }, { automations, projects }) =>
      automations.create(
        await projects.forCaller(body.project, caller),
        body,
        callerActor(caller.id),
      ),
  }),
  endpoint('PATCH /v1/automations/{id}', {
    id: 'changeAutomation',
    summary: 'Change, pause, or resume an automation',
    description: 'What was due while it was paused isn’t made up for.',
    who: editorWrites,
    body: AutomationChange,
    reply: Automation,
    errors: ['not_found', 'conflict'],
    run: ({ params, body, caller }, { automations }) =>
      automations.change(params.id, caller.organization, body, callerActor(caller.id)),
  }),
  endpoint('DELETE /v1/automations/{id}', {
    id: 'deleteAutomation',
    summary: 'Delete an automation and its history',
    description: 'Its jobs and pull requests stay.',
    who: editorWrites,
    errors: ['not_found'],
    run: ({ params, caller }, { automations }) =>
      automations.remove(params.id, caller.organization, callerActor(caller.id)),
  }),
  endpoint('POST /v1/automations/{id}/run', {
    id: 'runAutomation',
    summary: 'Run an automation now',
    description:
      'Also a paused one. With the header `Idempotency-Key`, the same request sent again gives the same run.',
    who: editorWrites,
    reply: json(AutomationRun, 'The run, which goes on in the background.', { status: 202 }),
    errors: ['not_found'],
    run: ({ params, caller, request }, { automations }) =>
      automations.runNow(
        params.id,
        caller.organization,
        callerActor(caller.id),
        idempotencyKeyOf(request),
      ),
  }),
  endpoint('GET /v1/automations/{id}/runs', {
    id: 'listAutomationRuns',
    summary: 'What an automation read, what changed, and why nothing did, newest first',
    who: viewerReads,
    query: AutomationRunsQuery,
    reply: AutomationRunsReply,
    errors: ['not_found'],
    async run({ params, query: { cursor, limit }, caller }, { automations }) {
      const { organization } = caller;
      const found = await automations.runs(params.id, organization, { cursor, take: limit + 1 });
      const { rows, next } = toPage(found, limit, ({ id }) => id);
      return { runs: rows, ...next };
    },
  }),
];
