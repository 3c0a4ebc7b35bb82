/**
 * Pull requests of repositories on this machine, which have no other host. Not in the service document.
 */
import { ListJobsQuery } from '@docent/shared/agent';
import { LocalPullsReply, MergeRequest, PullReply, PullView } from '@docent/shared/job-pages';
import type { Audit } from '../../notify/audit/audit.ts';
import { type Caller, callerActor } from '../../platform/auth/caller.ts';
import { DocentError } from '../../platform/errors.ts';
import { editorWrites, endpointsOf, json, viewerReads } from '../../platform/http/endpoint.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import type { Sites } from '../../platform/tenants/sites.ts';
import type { Forges } from '../forge/create-forges.ts';
import type { LocalForge } from '../forge/local/local-forge.ts';
import type { MergeResult } from '../forge/local/merge.ts';
import type { Within } from '../forge/local/pulls.ts';
import { jobOfPull } from '../jobs/read-jobs.ts';
import type { PullStates } from './pull-states.ts';
import { findPull, type PullViews, showPull, toPullNumber } from './pull-view.ts';

interface PullDeps {
  forges: Pick<Forges, 'localForge'>;
  sites: Pick<Sites, 'builtFrom'>;
  pullViews: PullViews;
  pullStates: Pick<PullStates, 'note'>;
  audit: Pick<Audit, 'record'>;
}

const endpoint = endpointsOf<PullDeps>('Agent jobs');

const parameters = { number: 'The number of the pull request.' };

/** What the four actions have in common. */
const action = {
  who: editorWrites,
  limit: 'none',
  parameters,
  reply: json(PullReply, 'The pull request, changed.'),
  errors: ['conflict'],
} as const;

const conflict = (message: string) => new DocentError('conflict', message);

const notMerged: Record<Exclude<MergeResult, 'merged'>, string> = {
  moved: 'Not merged: there are new commits. Read them first.',
  conflicts: 'Not merged: the base branch changed the same lines.',
  draft: 'Not merged: it is a draft.',
  'branch-gone': 'Not merged: its branch is gone.',
  'not-open': 'This pull request is no longer open.',
};

interface ActionCall<Body> {
  project: Project;
  params: { number: string };
  caller: Caller;
  body: Body;
}

/** Changes a pull request, with its entry in the audit log in the same transaction. */
const changing =
  <Body>(
    type: 'pull.merged' | 'pull.closed' | 'pull.reopened' | 'pull.ready',
    change: (forge: LocalForge, number: number, within: Within, body: Body) => Promise<void>,
  ) =>
  async (
    { project, params, caller, body }: ActionCall<Body>,
    { forges, sites, audit, pullStates }: PullDeps,
  ): Promise<PullReply> => {
    const { organization, id, repository } = project;
    const { forge, pull: before } = await findPull(forges, project, toPullNumber(params.number));
    const { number } = before;
    const within: Within = async (tx) => {
      const job = await jobOfPull(tx, id, number);
      const actor = callerActor(caller.id);
      const data = { number };
      await audit.record(tx, { organization, project: id, job: job?.id, actor, type, data });
    };
    await change(forge, number, within, body);
    const { pull } = await findPull(forges, project, number);
    await pullStates.note(id, number, pull, true);
    const isIndexed = repository !== undefined && sites.builtFrom(repository, pull.base).length > 0;
    return { pull: showPull(pull), isIndexed };
  };

export const pullEndpoints = [
  endpoint('GET /v1/projects/{projectId}/pulls', {
    id: 'listPulls',
    summary: 'Pull requests of a repository on the machine of the service, newest first',
    who: viewerReads,
    limit: 'none',
    query: ListJobsQuery,
    reply: LocalPullsReply,
    async run({ project, query }, { forges }) {
      const found = await forges.localForge(project)?.pulls.list(query);
      return { isLocal: found !== undefined, pulls: (found ?? []).map(showPull) };
    },
  }),
  endpoint('GET /v1/projects/{projectId}/pulls/{number}', {
    id: 'getPull',
    summary: 'One pull request with its changes',
    who: viewerReads,
    limit: 'none',
    parameters,
    reply: PullView,
    run: ({ project, params }, { pullViews }) =>
      pullViews.read(project, toPullNumber(params.number)),
  }),
  endpoint('POST /v1/projects/{projectId}/pulls/{number}/merge', {
    ...action,
    id: 'mergePull',
    summary: 'Merge a pull request',
    description:
      'Only the commit that was read: with new commits, or with conflicts, the answer is 409.',
    body: MergeRequest,
    run: changing<{ head: string }>('pull.merged', async (forge, number, within, { head }) => {
      const result = await forge.merge(number, head, within);
      if (result !== 'merged') throw conflict(notMerged[result]);
    }),
  }),
  endpoint('POST /v1/projects/{projectId}/pulls/{number}/close', {
    ...action,
    id: 'closePull',
    summary: 'Close a pull request without merging',
    run: changing('pull.closed', async (forge, number, within) => {
      if (!(await forge.close(number, within))) throw conflict(notMerged['not-open']);
    }),
  }),
  endpoint('POST /v1/projects/{projectId}/pulls/{number}/reopen', {
    ...action,
    id: 'reopenPull',
    summary: 'Reopen a closed pull request',
    run: changing('pull.reopened', async (forge, number, within) => {
      if (await forge.reopen(number, within)) return;
      throw conflict('Not reopened: its branch is gone, or another pull request uses it.');
    }),
  }),
  endpoint('POST /v1/projects/{projectId}/pulls/{number}/ready', {
    ...action,
    id: 'markPullReady',
    summary: 'Mark a draft as ready',
    run: changing('pull.ready', async (forge, number, within) => {
      const pull = await forge.pull(number);
      if (pull?.state !== 'open') throw conflict(notMerged['not-open']);
      // A second click changes nothing.
      if (pull.isDraft) await forge.pulls.update(number, { isDraft: false }, within);
    }),
  }),
];
