/** A job: what it does, what came of it, and a follow-up. */
import type { AgentJob } from '@docent/shared/agent';
import type { JobView } from '@docent/shared/job-pages';
import { useLocation } from 'preact-iso';
import { useRef } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { type Loaded, useGet, useReloadWhile } from '../../api/load.ts';
import { jobPath, projectPath, pullPath, to } from '../../base.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Load } from '../../components/empty.tsx';
import { Facts } from '../../components/facts.tsx';
import { Prose, Visible } from '../../components/foreign.tsx';
import { formatMoney, formatNumber } from '../../components/number.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { can } from '../../session.ts';
import { Corrections } from './corrections.tsx';
import { Diff } from './diff.tsx';
import { Instruct } from './instruct.tsx';
import { Log } from './log.tsx';

export function JobPage({ project, id }: { project: string; id: string }) {
  const path = `/v1/projects/${encodeURIComponent(project)}/jobs/${encodeURIComponent(id)}`;
  const loaded = useGet<JobView>(path);
  const title = loaded.data.value?.title ?? 'Job';
  return (
    <Page title={title} parent={{ href: projectPath(project), title: project }}>
      <Load from={loaded} lines={10}>
        {(view) => (
          <JobBody
            view={view}
            loaded={loaded}
            logPath={`/v2/agent/${encodeURIComponent(project)}/job/${encodeURIComponent(id)}/events`}
          />
        )}
      </Load>
    </Page>
  );
}

function stateOf({ status, position, failure }: JobView['job']): [tone: Tone, label: string] {
  if (status === 'completed') return ['good', 'Completed'];
  if (status === 'failed') {
    return failure?.code === 'cancelled' ? ['neutral', 'Canceled'] : ['bad', 'Failed'];
  }
  if (position === null) return ['info', 'Working'];
  return ['neutral', position > 1 ? `Waiting, ${position} in the queue` : 'Waiting'];
}

interface JobBodyProps {
  view: JobView;
  loaded: Pick<Loaded<unknown>, 'reload'>;
  logPath: string;
  /** Of somebody without an account. */
  isShared?: boolean;
}

export function JobBody({ view, loaded, logPath, isShared = false }: JobBodyProps) {
  const { job, files, pullState } = view;
  const { route } = useLocation();
  const isActive = job.status === 'active';
  useReloadWhile(isActive, loaded);
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** At most twice a second. */
  const renew = () => {
    waiting.current ??= setTimeout(() => {
      waiting.current = undefined;
      void loaded.reload();
    }, 500);
  };
  const path = `/v2/agent/${encodeURIComponent(job.project)}/job/${job.id}`;
  const mayAct = !isShared && can('POST /v2/agent/{projectId}/job/{id}/message');
  const mayFollowUp = mayAct && job.archivedAt === null;
  const pullUrl = (number: number, url: string) =>
    pullState === null ? httpUrl(url) : isShared ? undefined : to(pullPath(job.project, number));
  const retry = async () => {
    const again = `/v1/projects/${encodeURIComponent(job.project)}/jobs/${job.id}/retry`;
    const next = await send<AgentJob>('POST', again);
    if (next.id === job.id) await loaded.reload();
    else route(to(jobPath(job.project, next.id)));
  };
  const [tone, label] = stateOf(job);
  return (
    <div class="job">
      <div class="job-main">
        <p class="row">
          <Badge tone={tone}>{label}</Badge>
          <span class="quiet">
            created <Time at={job.createdAt} />
          </span>
        </p>
        <Outcome view={view} pullUrl={pullUrl} {...(mayFollowUp && { retry })} />
        <Log
          path={logPath}
          round={job.round}
          isActive={isActive}
          pullUrl={({ number, url }) => pullUrl(number, url)}
          onChange={renew}
        />
        {mayFollowUp && (
          <Section title={isActive ? 'Send another instruction' : 'Send a follow-up'}>
            <Instruct
              takesWords={job.takesWords}
              label="Instruction"
              placeholder={
                isActive ? 'The model reads it at its next step' : 'What should be different?'
              }
              submit="Send"
              onSubmit={async (instruction, key) => {
                await send('POST', `${path}/message`, instruction, key);
                toast('Sent. The job reads it at its next step.');
                await loaded.reload();
              }}
            />
          </Section>
        )}
      </div>
      <aside class="job-side" aria-label="About this job">
        <Side view={view} />
        {mayAct && isActive && !job.isCancelRequested && (
          <Button
            kind="danger"
            onClick={async () => {
              await send('POST', `${path}/cancel`);
              toast('The job is being canceled');
              await loaded.reload();
            }}
          >
            Cancel the job
          </Button>
        )}
      </aside>
      {job.corrections !== null && job.corrections.length > 0 && (
        <div class="job-changes">
          <Section title="What code contradicts">
            <Corrections corrections={job.corrections} />
          </Section>
        </div>
      )}
      {files.length > 0 && (
        <div class="job-changes">
          <Section title={isActive ? 'Changes so far' : 'Changes that are not published'}>
            <Diff files={files} />
          </Section>
        </div>
      )}
    </div>
  );
}

const httpUrl = (url: string) => (/^https?:\/\//.test(url) ? url : undefined);

const pullStates = {
  open: ['The pull request is ready', 'Read the change, and merge it if it is right.'],
  merged: ['The pull request is merged', 'A follow-up creates a new one.'],
  closed: ['The pull request was closed without merging', 'A follow-up creates a new one.'],
} as const;

interface OutcomeProps {
  view: JobView;
  pullUrl: (number: number, url: string) => string | undefined;
  retry?: () => Promise<void>;
}

function Outcome({ view: { job, pullState }, pullUrl, retry }: OutcomeProps) {
  const { failure, message, pullRequest, status } = job;
  if (failure) {
    return (
      <section class="card outcome is-bad" aria-label="Why it failed">
        <p>
          <strong>{failure.title}.</strong> {failure.remedy}
        </p>
        <h2 class="unseen">Message</h2>
        <Prose text={failure.message} />
        {retry && (
          <div>
            <Button kind="primary" onClick={retry}>
              Try again
            </Button>
          </div>
        )}
      </section>
    );
  }
  const said = status === 'completed' && message !== null && (
    <>
      <h2 class="unseen">Message</h2>
      <Prose text={message} />
    </>
  );
  if (pullRequest) {
    const { number, url } = pullRequest;
    const [title, next] = pullStates[pullState ?? 'open'];
    const href = pullUrl(number, url);
    return (
      <section class="card outcome is-good" aria-label="Result">
        <p>
          <strong>{status === 'active' ? 'The job is working on its pull request' : title}.</strong>{' '}
          {status !== 'active' && next}
        </p>
        {said}
        {href !== undefined && (
          <div>
            <a class="button primary" href={href} rel="noreferrer">
              Open pull request #{number}
            </a>
          </div>
        )}
      </section>
    );
  }
  if (status !== 'completed') return null;
  return (
    <section class="card outcome" aria-label="Result">
      <p>
        <strong>Nothing changed.</strong> There is no pull request.
      </p>
      {said}
    </section>
  );
}

const todoSigns = { pending: '○', in_progress: '◐', completed: '✓', cancelled: '–' } as const;

function Side({ view: { job } }: { view: JobView }) {
  const { todos, usage, source, baseBranch } = job;
  return (
    <>
      {todos.length > 0 && (
        <section>
          <h2>To do</h2>
          <ul class="todos">
            {todos.map(({ content, status }, index) => (
              <li key={index} class={status}>
                <span aria-hidden="true">{todoSigns[status]}</span>
                <span>
                  <Visible text={content} />
                  <span class="unseen"> ({status.replace('_', ' ')})</span>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>Details</h2>
        <Facts
          facts={[
            ['Model', job.takesWords ? job.model : undefined],
            [
              'Branch',
              <code>
                <Visible text={source.ref} />
              </code>,
            ],
            [
              'Base branch',
              baseBranch === null ? undefined : (
                <code>
                  <Visible text={baseBranch} />
                </code>
              ),
            ],
            ['Run', formatNumber(job.round)],
            ['Steps', usage.steps > 0 ? formatNumber(usage.steps) : undefined],
            [
              'Tokens',
              usage.steps > 0 ? formatNumber(usage.inputTokens + usage.outputTokens) : undefined,
            ],
            ['Cost', usage.costUsd > 0 ? formatMoney(usage.costUsd) : undefined],
            ['Started', job.startedAt === null ? undefined : <Time at={job.startedAt} />],
            ['Finished', job.finishedAt === null ? undefined : <Time at={job.finishedAt} />],
            ['Job', <code>{job.id}</code>],
          ]}
        />
      </section>
    </>
  );
}
