/** A pull request of a repository on the machine of the service. */
import type { PullReply, PullView } from '@docent/shared/job-pages';
import { send } from '../../api/client.ts';
import { type Loaded, useGet } from '../../api/load.ts';
import { jobPath, projectPath, to } from '../../base.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Load } from '../../components/empty.tsx';
import { Prose, Visible } from '../../components/foreign.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { can } from '../../session.ts';
import { counted, Diff } from './diff.tsx';

const pathOf = (project: string, number: string) =>
  `/v1/projects/${encodeURIComponent(project)}/pulls/${encodeURIComponent(number)}`;

export function PullPage({ project, number }: { project: string; number: string }) {
  const loaded = useGet<PullView>(pathOf(project, number));
  const pull = loaded.data.value?.pull;
  return (
    <Page
      title={pull ? `${pull.title} #${pull.number}` : `Pull request #${number}`}
      parent={{ href: projectPath(project), title: project }}
    >
      <Load from={loaded} lines={10}>
        {(view) => <PullBody view={view} loaded={loaded} />}
      </Load>
    </Page>
  );
}

export function stateOfPull({ state, isDraft }: PullView['pull']): [tone: Tone, label: string] {
  if (state === 'merged') return ['good', 'Merged'];
  if (state === 'closed') return ['bad', 'Closed'];
  return isDraft ? ['neutral', 'Draft'] : ['info', 'Open'];
}

interface PullBodyProps {
  view: PullView;
  loaded: Pick<Loaded<unknown>, 'reload'>;
  /** Of somebody without an account. */
  isShared?: boolean;
}

export function PullBody({ view, loaded, isShared = false }: PullBodyProps) {
  const { pull, body, commits, files, moreFiles, previews, why, job, project } = view;
  const [tone, label] = stateOfPull(pull);
  const words = { open: 'opened', merged: 'merged', closed: 'closed' }[pull.state];
  return (
    <div class="job">
      <div class="job-main">
        <p class="row">
          <Badge tone={tone}>{label}</Badge>
          <span>
            <code>
              <Visible text={pull.base} />
            </code>{' '}
            <span aria-label="from">←</span>{' '}
            <code>
              <Visible text={pull.branch} />
            </code>
          </span>
          <span class="quiet">
            {words} <Time at={pull.endedAt ?? pull.createdAt} />
          </span>
        </p>
        <section class="card" aria-label="Description">
          <h2 class="unseen">Description</h2>
          {body.trim() === '' ? <p class="quiet">No description.</p> : <Prose text={body} />}
        </section>
        {pull.state !== 'merged' && <MergeBox view={view} loaded={loaded} isShared={isShared} />}
      </div>
      <aside class="job-side" aria-label="About this pull request">
        {job && (
          <section>
            <h2>Job</h2>
            <p>{isShared ? job.title : <a href={to(jobPath(project, job.id))}>{job.title}</a>}</p>
          </section>
        )}
        <section>
          <h2>{counted(commits.length, 'commit')}</h2>
          <ol class="commits">
            {commits.map(({ id, title, author }) => (
              <li key={id}>
                <span>
                  <Visible text={title} />
                </span>
                <span class="quiet">
                  <Visible text={author} /> · <code>{id.slice(0, 7)}</code>
                </span>
              </li>
            ))}
          </ol>
        </section>
      </aside>
      <div class="job-changes">
        <Section title="Changes">
          {why === null ? (
            <Diff files={files} previews={previews} more={moreFiles} />
          ) : (
            <p class="notice">{why}</p>
          )}
        </Section>
      </div>
    </div>
  );
}

const done = {
  close: 'Closed without merging',
  reopen: 'Reopened',
  ready: 'Marked as ready',
} as const;

/** What prevents a merge, and the buttons. */
function MergeBox({ view, loaded, isShared }: Required<PullBodyProps>) {
  const { pull, head, conflicts, project } = view;
  const path = pathOf(project, String(pull.number));
  const mayAct = !isShared && can('POST /v1/projects/{projectId}/pulls/{number}/merge');
  const act = (action: keyof typeof done) => async () => {
    await send<PullReply>('POST', `${path}/${action}`).finally(loaded.reload);
    toast(done[action]);
  };
  const merge = async () => {
    try {
      const { isIndexed } = await send<PullReply>('POST', `${path}/merge`, { head });
      toast(
        isIndexed
          ? 'Merged. The assistant reads the change now. To show it to readers, build and publish your site as usual.'
          : 'Merged. Build and publish your site as usual. The assistant knows the change once the site is indexed again.',
      );
    } catch (error) {
      toastError(error);
    }
    await loaded.reload();
  };
  const base = (
    <code>
      <Visible text={pull.base} />
    </code>
  );
  const close = <Button onClick={act('close')}>Close without merging</Button>;
  if (pull.state === 'closed') {
    return (
      <section class="card outcome" aria-label="Merge">
        <p>
          <strong>Closed without a merge.</strong> {conflicts === null && 'Its branch is gone.'}
        </p>
        {mayAct && conflicts !== null && (
          <div>
            <Button onClick={act('reopen')}>Reopen</Button>
          </div>
        )}
      </section>
    );
  }
  if (conflicts === null || head === null) {
    return (
      <section class="card outcome is-bad" aria-label="Merge">
        <p>
          <strong>The branch is gone.</strong> Somebody deleted{' '}
          <code>
            <Visible text={pull.branch} />
          </code>{' '}
          or {base}, so it can’t be merged.
        </p>
        {mayAct && <div>{close}</div>}
      </section>
    );
  }
  if (conflicts.length > 0) {
    return (
      <section class="card outcome is-bad" aria-label="Merge">
        <p>
          <strong>This conflicts with {base}.</strong> Both changed the same lines of:
        </p>
        <ul>
          {conflicts.map((path) => (
            <li key={path}>
              <code>
                <Visible text={path} />
              </code>
            </li>
          ))}
        </ul>
        {mayAct && (
          <>
            <p class="quiet">
              Close this and send the job a message: it starts again on the current {base}, in a new
              pull request. Or merge it with git.
            </p>
            <div>{close}</div>
          </>
        )}
      </section>
    );
  }
  return (
    <section class={pull.isDraft ? 'card outcome' : 'card outcome is-good'} aria-label="Merge">
      {pull.isDraft ? (
        <p>
          <strong>This is a draft.</strong>{' '}
          {mayAct && 'Read it, then mark it as ready to merge it.'}
        </p>
      ) : (
        <p>
          <strong>No conflicts with {base}.</strong> {mayAct && 'You can merge it now.'}
        </p>
      )}
      {mayAct && (
        <div class="row">
          {pull.isDraft ? (
            <Button kind="primary" onClick={act('ready')}>
              Mark as ready
            </Button>
          ) : (
            <Button kind="primary" onClick={merge}>
              Merge
            </Button>
          )}
          {close}
        </div>
      )}
    </section>
  );
}
