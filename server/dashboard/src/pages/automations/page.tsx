/** Work on the documentation that begins by itself. */
import type { Automation, AutomationRun, AutomationsReply } from '@docent/shared/automations';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { send } from '../../api/client.ts';
import { useGet, useReloadWhile } from '../../api/load.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import { Icon } from '../../components/icons.tsx';
import { Page } from '../../components/page.tsx';
import { type Column, Table, Two } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { can } from '../../session.ts';
import { NoProjects } from '../projects/none.tsx';
import { NewAutomationDialog } from './new.tsx';
import { OneAutomation } from './one.tsx';
import { PullLink, RunOutcome } from './outcome.tsx';
import { taskWords, triggerWords } from './words.ts';

export default function AutomationsPage() {
  const { id } = useRoute().params;
  const loaded = useGet<AutomationsReply>('/v1/automations');
  const isActive = loaded.data.value?.automations.some(isBusy) ?? false;
  useReloadWhile(isActive, loaded);
  const run = async ({ id: one, name }: Automation) => {
    await send<AutomationRun>('POST', `/v1/automations/${one}/run`);
    toast(`${name} looks now`);
    await loaded.reload();
  };
  if (id !== undefined) return <OneAutomation key={id} id={id} loaded={loaded} run={run} />;
  const create = can('POST /v1/automations') && <Create loaded={loaded} />;
  return (
    <Page
      title="Automations"
      description="They look at your documentation, your readers, and your code, and open a pull request when there is something to do."
      actions={create}
    >
      <Load from={loaded} lines={6}>
        {({ automations, projects }) =>
          projects.length === 0 ? (
            <NoProjects />
          ) : (
            <Table
              label="Automations"
              columns={
                can('POST /v1/automations/{id}/run') ? [...columns, runColumn(run)] : columns
              }
              rows={automations}
              keyOf={(one) => one.id}
              hrefOf={(one) => `/automations/${one.id}`}
              empty={
                <Empty icon="automations" title="No automations yet" actions={create}>
                  An automation repairs broken links, answers the gaps of the week, or reviews the
                  documentation after a change of the code. If there is nothing to do, it opens
                  nothing.
                </Empty>
              }
            />
          )
        }
      </Load>
    </Page>
  );
}

const isBusy = ({ lastRun }: Automation) => lastRun !== null && lastRun.status !== 'ended';

const columns: Column<Automation>[] = [
  {
    title: 'Automation',
    cell: ({ name, project, task, isPaused }) => (
      <Two first={name}>
        {isPaused && (
          <>
            <Badge>Paused</Badge>{' '}
          </>
        )}
        {taskWords(task)} · {project}
      </Two>
    ),
    sortBy: ({ name }) => name,
  },
  { title: 'When', cell: ({ trigger, task }) => triggerWords(trigger, task) },
  {
    title: 'Last run',
    cell: ({ lastRun }) =>
      lastRun === null ? (
        '—'
      ) : (
        <Two first={<RunOutcome run={lastRun} isShort />}>
          <Time at={lastRun.createdAt} />
        </Two>
      ),
    sortBy: ({ lastRun }) => lastRun?.createdAt,
  },
  {
    title: 'Pull request',
    cell: ({ lastRun }) => (lastRun === null ? '—' : <PullLink run={lastRun} />),
  },
  {
    title: 'Next',
    cell: ({ nextAt }) => (nextAt === null ? '—' : <Time at={nextAt} />),
    sortBy: ({ nextAt }) => nextAt ?? undefined,
  },
];

const runColumn = (run: (one: Automation) => Promise<void>): Column<Automation> => ({
  title: 'Actions',
  isActions: true,
  cell: (one) => (
    <IconButton
      icon="playground"
      label={`Run ${one.name} now`}
      title="Run now"
      onClick={() => run(one)}
    />
  ),
});

function Create({ loaded }: { loaded: ReturnType<typeof useGet<AutomationsReply>> }) {
  const [isOpen, setOpen] = useState(false);
  const projects = loaded.data.value?.projects ?? [];
  if (projects.length === 0) return null;
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        <Icon name="plus" />
        New automation
      </Button>
      {isOpen && (
        <NewAutomationDialog
          projects={projects}
          onClose={() => setOpen(false)}
          onCreated={loaded.reload}
        />
      )}
    </>
  );
}
