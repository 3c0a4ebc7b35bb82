import type { AllJobsReply, ProjectsReply } from '@docent/shared/jobs-list';
import { get } from '../../api/client.ts';
import { useList, useLoad } from '../../api/load.ts';
import { serviceUrl } from '../../base.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import { Filters, Segmented, Select, useFilters } from '../../components/filters.tsx';
import { Num } from '../../components/number.tsx';
import { Page } from '../../components/page.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { duration, Time } from '../../components/time.tsx';
import { can } from '../../session.ts';
import { ShareButton, Shares } from './shares.tsx';

type Job = AllJobsReply['jobs'][number];

const states: Record<Job['status'], [tone: Tone, label: string]> = {
  active: ['info', 'In progress'],
  completed: ['good', 'Completed'],
  failed: ['bad', 'Failed'],
};

/** The job's own page, with its log, checks, and changes. */
const jobUrl = ({ project, id }: Job) =>
  serviceUrl(`/projects/${encodeURIComponent(project)}/jobs/${encodeURIComponent(id)}`);

const projectUrl = (id: string) => serviceUrl(`/projects/${encodeURIComponent(id)}`);

const columns: Column<Job>[] = [
  {
    title: 'Job',
    cell: (job) => <a href={jobUrl(job)}>{job.title ?? job.source.ref}</a>,
    sortBy: ({ title }) => title ?? '',
  },
  {
    title: 'State',
    cell: ({ status, position, failure }) => {
      const [tone, label] = states[status];
      return (
        <span title={failure?.title}>
          <Badge tone={tone}>
            {position === null ? label : `Waiting, ${position} in the queue`}
          </Badge>
        </span>
      );
    },
    sortBy: ({ status }) => status,
  },
  { title: 'Project', cell: ({ project }) => project, sortBy: ({ project }) => project },
  {
    title: 'Pull request',
    cell: ({ pullRequest }) =>
      pullRequest ? <a href={pullRequest.url}>#{pullRequest.number}</a> : '—',
  },
  {
    title: 'Took',
    isNumber: true,
    cell: ({ startedAt, finishedAt }) =>
      startedAt === null || finishedAt === null
        ? '—'
        : duration(Date.parse(finishedAt) - Date.parse(startedAt)),
    sortBy: ({ startedAt, finishedAt }) =>
      startedAt === null || finishedAt === null
        ? undefined
        : Date.parse(finishedAt) - Date.parse(startedAt),
  },
  {
    title: 'Cost',
    isNumber: true,
    cell: ({ usage }) => <Num value={usage.costUsd} as="money" />,
    sortBy: ({ usage }) => usage.costUsd,
  },
  {
    title: 'Created',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sortBy: ({ createdAt }) => createdAt,
  },
  {
    title: 'Share',
    isActions: true,
    cell: (job) => <ShareButton project={job.project} page="job" id={job.id} />,
  },
];

export default function JobsPage() {
  const projects = useLoad('/v1/projects', (signal) =>
    get<ProjectsReply>('/v1/projects', {}, signal),
  );
  return (
    <Page
      title="Jobs"
      description="Changes to your documentation, from instruction to pull request."
      actions={<NewJob projects={projects.data.value?.projects ?? []} />}
    >
      <Load from={projects}>
        {({ projects: all }) =>
          all.length === 0 ? (
            <Empty icon="jobs" title="No projects in this organization">
              A project is a repository that jobs can change. Add one to <code>projects</code> in
              the configuration file, and restart Docent.
            </Empty>
          ) : (
            <>
              <JobList projects={all.map(({ id }) => id)} />
              <Shares />
            </>
          )
        }
      </Load>
    </Page>
  );
}

/** The page of a project has the forms for instructions and commands. */
function NewJob({ projects }: ProjectsReply) {
  if (!can('POST /v2/agent/{projectId}/job')) return null;
  const [first, ...others] = projects;
  if (!first) return null;
  if (others.length === 0) {
    return (
      <a class="button primary" href={projectUrl(first.id)}>
        New job
      </a>
    );
  }
  return (
    <Select
      label="New job in a project"
      value=""
      options={[
        { value: '', label: 'New job in…' },
        ...projects.map(({ id }) => ({ value: id, label: id })),
      ]}
      onChange={(id) => id !== '' && location.assign(projectUrl(id))}
    />
  );
}

function JobList({ projects }: { projects: readonly string[] }) {
  const { values, set } = useFilters({ project: '', status: '' });
  const list = useList<Job>('/v1/jobs', 'jobs', values);
  return (
    <>
      <Filters>
        <Segmented
          label="State"
          value={values.status}
          options={[
            { value: '', label: 'All' },
            { value: 'active', label: 'In progress' },
            { value: 'completed', label: 'Completed' },
            { value: 'failed', label: 'Failed' },
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
        columns={columns}
        list={list}
        keyOf={({ id }) => id}
        empty={
          <Empty icon="jobs" title="No jobs here">
            A job turns an instruction, or a gap in the documentation, into a pull request.
          </Empty>
        }
      />
    </>
  );
}
