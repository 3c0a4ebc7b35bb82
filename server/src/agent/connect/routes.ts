/** Hosts of repositories that people connect in the dashboard. Not in the service document. */
import {
  AddProjectReply,
  AddProjectRequest,
  BeginAppReply,
  BeginAppRequest,
  ChangeProjectRequest,
  ConnectionReply,
  ConnectionsReply,
  ConnectReply,
  ConnectRequest,
  FinishAppRequest,
  HostHealthReply,
  InstalledRequest,
  ReplaceTokenRequest,
  RepositoriesReply,
} from '@docent/shared/connections';
import type { Config } from '../../platform/config/schema.ts';
import {
  adminInPerson,
  adminReads,
  adminWrites,
  endpointsOf,
  json,
  sent,
  viewerReads,
} from '../../platform/http/endpoint.ts';
import type { ConnectedProjects } from './connected-projects.ts';
import type { Connections } from './connections.ts';
import { manifestPage } from './github-app.ts';
import type { HostHealth } from './host-health.ts';

interface ConnectRouteDeps {
  connections: Connections;
  connectedProjects: ConnectedProjects;
  hostHealth: HostHealth;
  config: Pick<Config, 'dashboard'>;
  baseUrl: () => string;
}

const endpoint = endpointsOf<ConnectRouteDeps>('Agent jobs');

export const connectEndpoints = [
  endpoint('GET /v1/connections', {
    id: 'listConnections',
    summary: 'Connected hosts of repositories, without their credentials',
    who: adminReads,
    reply: ConnectionsReply,
    run: async ({ caller }, { connections }) => ({ connections: await connections.list(caller) }),
  }),

  endpoint('POST /v1/connections', {
    id: 'connectHost',
    summary: 'Connect a host of repositories with a token',
    description:
      'Says at once what the token lacks. The token is stored encrypted, and is never shown again.',
    who: adminWrites,
    body: ConnectRequest,
    reply: json(
      ConnectReply,
      'The connection, and the secret for its webhook, which is shown once.',
      {
        status: 201,
      },
    ),
    errors: ['unavailable', 'forbidden'],
    run: ({ caller, body, signal }, { connections }) => connections.connect(caller, body, signal),
  }),

  endpoint('POST /v1/connections/github', {
    id: 'beginGitHubApp',
    summary: 'Begin to create a GitHub App',
    description: 'For people: GitHub sends their browser back to the dashboard.',
    who: adminInPerson,
    body: BeginAppRequest,
    reply: json(BeginAppReply, 'Where to go on.', { status: 201 }),
    async run({ caller, body, request }, { connections, config, baseUrl }) {
      // Where this person is signed in, which may be another address of this machine.
      const origin = config.dashboard.publicUrl ?? request.get('origin') ?? baseUrl();
      const state = await connections.begin(caller, { ...body, origin });
      return { page: `/v1/connections/github/${state}` };
    },
  }),

  endpoint('GET /v1/connections/github/{state}', {
    id: 'openGitHubManifest',
    summary: 'A page that sends the manifest of the App to GitHub',
    who: adminInPerson,
    parameters: { state: 'Of the page that was begun.' },
    reply: {
      status: 200,
      description: 'The page.',
      content: { 'text/html': { description: 'HTML.' } },
    },
    errors: ['forbidden'],
    async run({ caller, params, response }, { connections }) {
      const { policy, html } = manifestPage(
        await connections.begun(caller, params.state),
        params.state,
      );
      response.set({ 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' });
      response.type('html').send(html);
      return sent;
    },
  }),

  endpoint('POST /v1/connections/github/finish', {
    id: 'finishGitHubApp',
    summary: 'Get the App that GitHub created, with the code that it sent the browser back with',
    who: adminInPerson,
    body: FinishAppRequest,
    reply: json(ConnectionReply, 'The connection.', { status: 201 }),
    errors: ['forbidden', 'unavailable'],
    run: async ({ caller, body, signal }, { connections }) => ({
      connection: await connections.finish(caller, body, signal),
    }),
  }),

  endpoint('POST /v1/connections/installed', {
    id: 'findInstallation',
    summary: 'The connection whose GitHub App has an installation',
    description:
      'GitHub is asked with the key of each App: anybody can write a number into an address.',
    who: adminWrites,
    body: InstalledRequest,
    reply: ConnectionReply,
    errors: ['not_found', 'conflict', 'unavailable'],
    run: async ({ caller, body, signal }, { connections }) => ({
      connection: await connections.installed(caller, body.installationId, signal),
    }),
  }),

  endpoint('GET /v1/connections/{id}/repositories', {
    id: 'listConnectedRepositories',
    summary: 'Repositories that a connection may write',
    who: adminReads,
    reply: RepositoriesReply,
    errors: ['not_found', 'bad_request', 'conflict', 'unavailable'],
    run: async ({ caller, params, signal }, { connections }) => ({
      repositories: await connections.repositories(caller, params.id, signal),
    }),
  }),

  endpoint('PATCH /v1/connections/{id}', {
    id: 'replaceToken',
    summary: 'Replace the token of a connection',
    description:
      'The new one must do what the projects of the connection need. Otherwise, the old one stays.',
    who: adminWrites,
    body: ReplaceTokenRequest,
    reply: ConnectionReply,
    errors: ['not_found', 'conflict', 'unavailable'],
    run: async ({ caller, params, body, signal }, { connections }) => ({
      connection: await connections.replaceToken(caller, params.id, body.token, signal),
    }),
  }),

  endpoint('DELETE /v1/connections/{id}', {
    id: 'disconnectHost',
    summary: 'Forget a connection and its credentials',
    who: adminWrites,
    errors: ['not_found', 'conflict'],
    run: ({ caller, params }, { connections }) => connections.remove(caller, params.id),
  }),

  endpoint('POST /v1/projects', {
    id: 'addProject',
    summary: 'Make a repository of a connection a project',
    description: 'Refused with the reason where jobs couldn’t work in it.',
    who: adminWrites,
    body: AddProjectRequest,
    reply: json(AddProjectReply, 'The project. Every process knows it.', { status: 201 }),
    errors: ['not_found', 'conflict'],
    run: async ({ caller, body, signal }, { connectedProjects }) => ({
      id: body.id,
      checks: await connectedProjects.add(caller, body, signal),
    }),
  }),

  endpoint('PATCH /v1/projects/{projectId}', {
    id: 'changeProject',
    summary: 'Change a project that was added in the dashboard',
    description: 'Refused with the reason where jobs couldn’t work in it.',
    who: adminWrites,
    body: ChangeProjectRequest,
    reply: AddProjectReply,
    errors: ['conflict'],
    run: async ({ caller, project, body, signal }, { connectedProjects }) => ({
      id: project.id,
      checks: await connectedProjects.change(caller, project, body, signal),
    }),
  }),

  endpoint('DELETE /v1/projects/{projectId}', {
    id: 'removeProject',
    summary: 'Remove a project that was added in the dashboard',
    who: adminWrites,
    errors: ['conflict'],
    run: ({ caller, project }, { connectedProjects }) => connectedProjects.remove(caller, project),
  }),

  endpoint('GET /v1/projects/{projectId}/host', {
    id: 'describeHost',
    summary: 'How the host of a project is doing, and the state of its open pull requests there',
    who: viewerReads,
    reply: HostHealthReply,
    run: ({ project }, { hostHealth }) => hostHealth(project),
  }),
];
