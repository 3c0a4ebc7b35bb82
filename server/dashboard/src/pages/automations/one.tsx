/** One automation: its settings, and what came of each time that it looked. */
import type { Automation, AutomationRun, AutomationsReply } from '@docent/shared/automations';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { send } from '../../api/client.ts';
import { type Loaded, useList, useReloadWhile } from '../../api/load.ts';
import { jobPath, to } from '../../base.ts';
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import { Facts } from '../../components/facts.tsx';
import { Page, Section } from '../../components/page.tsx';
import { type Column, Table, Two } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { can } from '../../session.ts';
import { AutomationForm } from './form.tsx';
import { PullLink, RunOutcome } from './outcome.tsx';
import { taskWords, triggerWords } from './words.ts';

const firstLookMs = 120_000;

interface OneProps {
  id: string;
  loaded: Loaded<AutomationsReply>;
  run: (one: Automation) => Promise<void>;
}

export function OneAutomation({ id, loaded, run }: OneProps) {
  return (
    <Load from={loaded} lines={8}>
      {({ automations }) => {
        const one = automations.find((each) => each.id === id);
        return one ? (
          <Shown one={one} reload={loaded.reload} run={run} />
        ) : (
          <Empty icon="automations" title="There is no such automation" />
        );
      }}
    </Load>
  );
}

interface ShownProps {
  one: Automation;
  reload: () => Promise<void>;
  run: OneProps['run'];
}

function Shown({ one, reload, run }: ShownProps) {
  const { route } = useLocation();
  const [isEditing, setEditing] = useState(false);
  const path = `/v1/automations/${one.id}`;
  const list = useList<AutomationRun>(`${path}/runs`, 'runs');
  const runs = list.rows.value ?? [];
  // A new one looks for the first time in a moment.
  const isNew = Date.now() - Date.parse(one.createdAt) < firstLookMs;
  const isDue = runs.length === 0 && one.trigger.on === 'change' && isNew;
  useReloadWhile(isDue || runs.some(({ status }) => status !== 'ended'), {
    reload: async () => void (await Promise.all([list.reload(), reload()])),
  });
  const change = async (body: object) => {
    await send('PATCH', path, body);
    await reload();
  };
  const remove = () =>
    confirm({
      title: `Delete ${one.name}?`,
      consequences: 'Its history is deleted. Its jobs and pull requests stay.',
      action: 'Delete automation',
      run: async () => {
        await send('DELETE', path);
        await reload();
        route(to('/automations'));
      },
    });
  const actions = can('PATCH /v1/automations/{id}') && (
    <>
      <Button onClick={remove}>Delete</Button>
      <Button onClick={() => setEditing(true)}>Edit</Button>
      <Button onClick={() => change({ isPaused: !one.isPaused })}>
        {one.isPaused ? 'Resume' : 'Pause'}
      </Button>
      <Button kind="primary" onClick={() => run(one).then(list.reload)}>
        Run now
      </Button>
    </>
  );
  return (
    <Page
      title={one.name}
      parent={{ href: '/automations', title: 'Automations' }}
      actions={actions}
    >
      <Facts
        facts={[
          ['Looks at', taskWords(one.task)],
          ['When', triggerWords(one.trigger, one.task)],
          ['Next', one.isPaused ? 'Paused' : one.nextAt && <Time at={one.nextAt} isExact />],
          ['Project', one.project],
          ['Instruction', one.instruction === '' ? null : one.instruction],
        ]}
      />
      <Section title="History" description="What it read, what changed, and why nothing did.">
        <Table
          label="History"
          columns={columns(one.project)}
          list={list}
          keyOf={({ id }) => id}
          empty={
            <Empty icon="automations" title="It hasn’t looked yet">
              It looks when its time comes, or when you run it.
            </Empty>
          }
        />
      </Section>
      {isEditing && (
        <Dialog title={`Edit ${one.name}`} onClose={() => setEditing(false)}>
          <AutomationForm
            {...one}
            submit="Save"
            onCancel={() => setEditing(false)}
            onSubmit={async (body) => {
              await change(body);
              setEditing(false);
              toast('Saved');
            }}
          />
        </Dialog>
      )}
    </Page>
  );
}

const columns = (project: string): Column<AutomationRun>[] => [
  {
    title: 'Run',
    cell: ({ createdAt, cause }) => <Two first={<Time at={createdAt} />}>{cause}</Two>,
  },
  { title: 'Outcome', cell: (run) => <RunOutcome run={run} /> },
  {
    title: 'Read',
    cell: ({ read }) =>
      read.length === 0 ? (
        '—'
      ) : (
        <span class="two-lines">
          {read.map(({ what, commit }) => (
            <span key={`${what} ${commit}`} class="quiet">
              {what} {commit !== null && <code title={commit}>{commit.slice(0, 10)}</code>}
            </span>
          ))}
        </span>
      ),
  },
  { title: 'Found', cell: (run) => <Findings run={run} /> },
  {
    title: 'Result',
    cell: (run) => (
      <Two first={<PullLink run={run} />}>
        {run.job !== null && <a href={to(jobPath(project, run.job))}>Job</a>}
      </Two>
    ),
  },
];

function Findings({ run: { findings, more } }: { run: AutomationRun }) {
  if (findings.length === 0) return <>—</>;
  const count = findings.length + more;
  return (
    <details>
      <summary>{count === 1 ? '1 finding' : `${count} findings`}</summary>
      <ul>
        {findings.map((text) => (
          <li key={text}>{text}</li>
        ))}
        {more > 0 && <li>And {more} more</li>}
      </ul>
    </details>
  );
}
