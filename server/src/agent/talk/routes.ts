/** Where hosts of repositories send what happens there, and what came of it. Not in the service document. */
import { HostEvent, HostEventsReply } from '@docent/shared/host-events';
import express from 'express';
import { z } from 'zod';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError } from '../../platform/errors.ts';
import { adminReads, endpointsOf, json, viewerReads } from '../../platform/http/endpoint.ts';
import { type Projects, repositoryAddress } from '../../platform/tenants/projects.ts';
import type { Connections } from '../connect/connections.ts';
import { isGenuine, readEvent, type ReadEvent } from './read-event.ts';
import type { Talks } from './talk.ts';

interface TalkRouteDeps {
  projects: Pick<Projects, 'hook'>;
  talks: Pick<Talks, 'receive' | 'list'>;
  connections: Pick<Connections, 'find'>;
  now: () => Date;
  config: Pick<Config, 'server'>;
  /** Its address before a proxy. */
  state: { url: string };
}

const endpoint = endpointsOf<TalkRouteDeps>('Agent jobs');

/** GitHub sends up to 25 MB; what we read of it has a few kilobytes. */
const readBody = express.raw({ type: () => true, limit: '2mb' });

export const talkEndpoints = [
  endpoint('POST /v1/hooks/{hook}', {
    id: 'receiveHostEvent',
    summary: 'Receive an event from the host of a repository',
    description:
      'For the webhooks of GitHub, Gitea, Forgejo, and GitLab. The host signs with the secret of the project’s `conversation`, or with that of its connection.',
    who: 'public',
    limit: 'none',
    parameters: { hook: 'The identifier of the project, or of the connection.' },
    reply: json(HostEvent.pick({ id: true, status: true, reason: true }), 'Kept.', { status: 202 }),
    errors: ['unauthorized', 'not_found', 'bad_request', 'too_large'],
    before: () => [readBody],
    async run({ params, request }, { projects, talks, now }) {
      const hook = await projects.hook(params.hook);
      if (!hook) throw new DocentError('not_found', 'No project takes events at this address.');
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const delivery = { headers: request.headers, body };
      const secret = hook.secret ?? '';
      if (secret === '' || !isGenuine(delivery, secret, now())) {
        throw new DocentError('unauthorized', 'The signature is missing or wrong.');
      }
      const read = readOrRefuse(delivery);
      const project = hook.projects.find(({ repository = '' }) =>
        repositoryAddress(repository).toLowerCase().endsWith(`/${read.repository.toLowerCase()}`),
      );
      const { id, status, reason } = await talks.receive(
        {
          hook: params.hook,
          project,
          repository: project?.repository ?? (hook.url ? `${hook.url}/${read.repository}` : ''),
          organization: hook.organization,
          mention: hook.mention,
        },
        read,
      );
      return { id, status, reason };
    },
  }),

  endpoint('GET /v1/connections/{id}/host-events', {
    id: 'listConnectionEvents',
    summary:
      'What the host of a connection told about repositories without a project, newest first',
    who: adminReads,
    reply: HostEventsReply,
    errors: ['not_found'],
    async run({ caller, params }, { connections, talks, config, state }) {
      const { id } = await connections.find(params.id, caller);
      return { address: hookOf(id, config, state), events: await talks.list(id) };
    },
  }),

  endpoint('GET /v1/projects/{projectId}/host-events', {
    id: 'listHostEvents',
    summary: 'What the host of the repository told, and what came of it, newest first',
    who: viewerReads,
    reply: HostEventsReply,
    run: async ({ project }, { talks, config, state }) => ({
      address: project.conversation
        ? hookOf(project.connection ?? project.id, config, state)
        : null,
      events: await talks.list(project.id),
    }),
  }),
];

const hookOf = (id: string, { server }: TalkRouteDeps['config'], { url }: { url: string }) =>
  `${server.publicUrl ?? url}/v1/hooks/${encodeURIComponent(id)}`;

function readOrRefuse(delivery: Parameters<typeof readEvent>[0]): ReadEvent {
  try {
    return readEvent(delivery);
  } catch (error) {
    if (!(error instanceof z.ZodError) && !(error instanceof SyntaxError)) throw error;
    throw new DocentError(
      'bad_request',
      'The body isn’t an event of GitHub, Gitea, Forgejo, or GitLab; set the webhook’s content type to JSON.',
      { cause: error },
    );
  }
}
