/** Links that let somebody without an account read one page. Not in the service document. */
import { SharedReply } from '@docent/shared/job-pages';
import { shareHeader, shareParameter } from '@docent/shared/share-header';
import { NewShareReply, ShareRequest, SharesReply } from '@docent/shared/jobs-list';
import type { Request } from 'express';
import type { z } from 'zod';
import { DocentError } from '../../platform/errors.ts';
import {
  editorWrites,
  endpointsOf,
  json,
  sent,
  viewerReads,
} from '../../platform/http/endpoint.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import { type AgentDeps, sendLog } from '../api/routes.ts';
import type { Forges } from '../forge/create-forges.ts';
import { findPull, type PullViews, toPullNumber } from '../pulls/pull-view.ts';
import type { LinkTo, PageOf, PageShares, SharedPage } from './page-shares.ts';

interface ShareDeps extends AgentDeps {
  forges: Pick<Forges, 'localForge'>;
  pullViews: PullViews;
  shares: PageShares;
  sharedLinkTo: LinkTo;
}

const endpoint = endpointsOf<ShareDeps>('Agent jobs');

/** The page of a job or a pull request, which exists. */
async function pageOf(
  project: Project,
  { page, id }: z.infer<typeof ShareRequest>,
  { jobs, forges }: ShareDeps,
): Promise<Exclude<PageOf, { kind: 'project' }>> {
  if (page === 'job') {
    await jobs.read(project.id, id);
    return { kind: 'job', project: project.id, job: id };
  }
  const { pull } = await findPull(forges, project, toPullNumber(id.replace(/^0+/, '')));
  return { kind: 'pull', project: project.id, number: pull.number };
}

/** What the token of a request opens. */
async function openShared(
  request: Request,
  { shares, projects }: ShareDeps,
): Promise<SharedPage & { of: Project }> {
  const shared = await shares.find(request.get(shareHeader) ?? '');
  const project = shared && (await projects.find(shared.project));
  if (!shared || project?.organization !== shared.organization) {
    throw new DocentError('unauthorized', 'This link has expired, was revoked, or is incomplete.');
  }
  return { ...shared, of: project };
}

const description = 'With the token of a shared link in the header `X-Share`.';

export const shareEndpoints = [
  endpoint('GET /v1/shares', {
    id: 'listShares',
    summary: 'Links that share a page, as long as they work',
    who: viewerReads,
    reply: json(SharesReply, 'The links, without their tokens.'),
    run: async ({ caller }, { shares }) => ({ shares: await shares.list(caller.organization) }),
  }),
  endpoint('POST /v1/shares', {
    id: 'createShare',
    summary: 'Let somebody without an account read a page',
    who: editorWrites,
    body: ShareRequest,
    reply: json(NewShareReply, 'The link, which is shown this once.', { status: 201 }),
    errors: ['not_found'],
    async run({ body, caller }, deps) {
      const project = await deps.projects.forCaller(body.project, caller);
      const page = await pageOf(project, body, deps);
      const id = page.kind === 'job' ? page.job : String(page.number);
      const shared = { project: project.id, page: body.page, id };
      const { share, token } = await deps.shares.create(caller.organization, shared, {
        days: body.days,
        by: caller.id,
      });
      return { share, url: `${deps.sharedLinkTo(page)}?${shareParameter}=${token}` };
    },
  }),
  endpoint('DELETE /v1/shares/{id}', {
    id: 'revokeShare',
    summary: 'Revoke a link that shares a page',
    who: editorWrites,
    run: ({ caller, params }, { shares }) =>
      shares.revoke(caller.organization, params.id, caller.id),
  }),
  endpoint('GET /v1/shared', {
    id: 'readShared',
    summary: 'The job or the pull request that a shared link opens',
    description,
    who: 'public',
    reply: SharedReply,
    errors: ['unauthorized', 'not_found'],
    async run({ request, response }, deps) {
      const { of, page, id } = await openShared(request, deps);
      response.set('Cache-Control', 'no-store');
      if (page === 'job') return { page, view: await deps.jobViews.read(of, id) };
      return { page, view: await deps.pullViews.read(of, toPullNumber(id)) };
    },
  }),
  endpoint('GET /v1/shared/events', {
    id: 'followShared',
    summary: 'Follow what happens in a shared job',
    description: `${description} The events are those of \`GET /v2/agent/{projectId}/job/{id}/events\`.`,
    who: 'public',
    reply: [
      {
        status: 200,
        description: 'The log, as it grows.',
        content: { 'text/event-stream': { description: 'Events of the job.' } },
      },
      { status: 204, description: 'The job has ended, and there is nothing new.' },
    ],
    errors: ['unauthorized', 'not_found', 'bad_request'],
    async run(call, deps) {
      const { of, page, id } = await openShared(call.request, deps);
      if (page !== 'job') throw new DocentError('not_found', 'This link opens no job.');
      await sendLog(deps, await deps.jobs.read(of.id, id), `page ${of.id}`, call);
      return sent;
    },
  }),
];
