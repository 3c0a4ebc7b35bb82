import type { ProjectsReply, SharesReply } from '@docent/shared/jobs-list';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useGet, useList } from '../../api/load.ts';
import { jobPath, projectPath, to } from '../../base.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import { Filters, Segmented, Select, useFilters } from '../../components/filters.tsx';
import { Icon } from '../../components/icons.tsx';
import { formatMoney } from '../../components/number.tsx';
import { Page } from '../../components/page.tsx';
import { type Column, Table, Two } from '../../components/table.tsx';
import { duration, Time } from '../../components/time.tsx';
import { can } from '../../session.ts';
import { NoProjects } from '../projects/none.tsx';
import { JobState, states } from './state.tsx';
import { type Job, ShareDialog, Shares, titleOf } from './shares.tsx';

const took = ({ startedAt, finishedAt }: Job) =>
  startedAt === null || finishedAt === null
    ? undefined
    : Date.parse(finishedAt) - Date.parse(startedAt);

const columns: Column<Job>[] = [
  {
    title: 'Job',
    cell: (job) => <Two first={titleOf(job)}>{job.project}</Two>,
    sortBy: titleOf,
  },
  { title: 'State', cell: (job) => <JobState job={job} />, sortBy: ({ status }) => status },
  {
    title: 'Pull request',
    cell: ({ pullRequest }) =>
      pullRequest ? <a href={pullRequest.url}>#{pullRequest.number}</a> : '—',
  },
  {
    title: 'Took',
    isNumber: true,
    cell: (job) => {
      const ms = took(job);
      return ms === undefined ? '—' : duration(ms);
    },
    sortBy: took,
  },
  {
    title: 'Cost',
    isNumber: true,
    cell: ({ usage: { costUsd } }) => (costUsd > 0 ? formatMoney(costUsd) : '—'),
    sortBy: ({ usage }) => usage.costUsd,
  },
  {
    title: 'Created',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sortBy: ({ createdAt }) => createdAt,
  },
];

export default function JobsPage() {
  const projects = useGet<ProjectsReply>('/v1/projects');
  // Only these can have jobs.
  const open = projects.data.value?.projects.filter(({ repository }) => repository !== '') ?? [];
  const create = can('POST /v2/agent/{projectId}/job') && <NewJob projects={open} />;
  return (
    <Page
      title="Jobs"
      description="Changes to your documentation, from instruction to pull request."
      actions={create}
    >
      <Load from={projects}>
        {({ projects: all }) =>
          all.length === 0 ? (
            <NoProjects />
          ) : (
            <JobList projects={all.map(({ id }) => id)} create={create} />
          )
        }
      </Load>
    </Page>
  );
}

/** The page of a project has the forms for instructions and commands. */
function NewJob({ projects }: Pick<ProjectsReply, 'projects'>) {
  const [isOpen, setOpen] = useState(false);
  const label = (
    <>
      <Icon name="plus" />
      New job
    </>
  );
  const [first, ...others] = projects;
  if (!first) return null;
  if (others.length === 0) {
    return (
      <a class="button primary" href={to(projectPath(first.id))}>
        {label}
      </a>
    );
  }
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && (
        <Dialog title="Which project should change?" onClose={() => setOpen(false)}>
          <div class="stack">
            {projects.map(({ id, repository }) => (
              <a key={id} class="card two-lines" href={to(projectPath(id))}>
                <strong>{id}</strong>
                <span class="quiet">{repository}</span>
              </a>
            ))}
          </div>
        </Dialog>
      )}
    </>
  );
}

interface JobListProps {
  projects: readonly string[];
  create: ComponentChildren;
}

function JobList({ projects, create }: JobListProps) {
  const { values, set } = useFilters(none);
  const list = useList<Job>('/v1/jobs', 'jobs', values);
  const shares = useGet<SharesReply>('/v1/shares');
  const [shared, setShared] = useState<Job>();
  const share: Column<Job> = {
    title: 'Actions',
    isActions: true,
    cell: (job) => (
      <IconButton
        icon="link"
        label={`Share ${titleOf(job)}`}
        title="Share"
        onClick={() => setShared(job)}
      />
    ),
  };
  const isFiltered = values.project !== '' || values.status !== '';
  return (
    <>
      <Filters>
        <Segmented
          label="State"
          value={values.status}
          options={[
            { value: '', label: 'All' },
            ...Object.entries(states).map(([value, [, label]]) => ({ value, label })),
          ]}
          onChange={(status) => set({ status })}
        />
        {projects.length > 1 && (
          <Select
            label="Project"
            value={values.project}
            options={[
              { value: '', label: 'All projects' },
              ...projects.map((id) => ({ value: id, label: id })),
            ]}
            onChange={(project) => set({ project })}
          />
        )}
      </Filters>
      <Table
        label="Jobs"
        columns={can('POST /v1/shares') ? [...columns, share] : columns}
        list={list}
        keyOf={({ id }) => id}
        hrefOf={({ project, id }) => jobPath(project, id)}
        empty={
          isFiltered ? (
            <Empty
              icon="search"
              title="No jobs match"
              actions={<Button onClick={() => set(none)}>Show all jobs</Button>}
            />
          ) : (
            <Empty icon="jobs" title="No jobs yet" actions={create}>
              A job turns an instruction, or a gap in the documentation, into a pull request.
            </Empty>
          )
        }
      />
      <Shares
        shares={shares.data.value?.shares ?? []}
        jobs={list.rows.value ?? []}
        reload={shares.reload}
      />
      {shared && (
        <ShareDialog job={shared} onClose={() => setShared(undefined)} onShared={shares.reload} />
      )}
    </>
  );
}

const none = { project: '', status: '' };
