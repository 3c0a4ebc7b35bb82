/** Projects: repositories that jobs can change. Their jobs and pull requests are below. */
import './projects.css';
import type { AgentJob } from '@docent/shared/agent';
import type { LocalPull, LocalPullsReply } from '@docent/shared/job-pages';
import type { AllJobsReply, ProjectsReply } from '@docent/shared/jobs-list';
import { useLocation, useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { useGet, useList } from '../../api/load.ts';
import { jobPath, projectPath, pullPath, to } from '../../base.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Table, Two } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { can } from '../../session.ts';
import { JobState } from '../jobs/state.tsx';
import { ChangeProject } from './add-project.tsx';
import { Connect, isBack } from './connect.tsx';
import { Host } from './host.tsx';
import { Instruct } from './instruct.tsx';
import { NoProjects } from './none.tsx';
import { HostEvents } from './host-events.tsx';
import { JobPage } from './job.tsx';
import { PullPage, stateOfPull } from './pull.tsx';

export default function ProjectsPage() {
  const { project, kind, id } = useRoute().params;
  if (project === undefined) return <Projects />;
  if (kind === undefined) return <OneProject key={project} id={project} />;
  if (kind === 'jobs' && id !== undefined) return <JobPage key={id} project={project} id={id} />;
  if (kind === 'pulls' && id !== undefined) {
    return <PullPage key={id} project={project} number={id} />;
  }
  return (
    <Page title="Page not found" parent={{ href: projectPath(project), title: project }}>
      <Empty icon="search" title="There’s nothing at this address" />
    </Page>
  );
}

type Project = ProjectsReply['projects'][number];

function Projects() {
  const projects = useGet<ProjectsReply>('/v1/projects');
  const [isConnecting, setConnecting] = useState(isBack);
  const known = projects.data.value;
  const mayConnect = can('POST /v1/projects');
  return (
    <Page
      title="Projects"
      description="Repositories that jobs can change."
      actions={
        mayConnect && (
          <Button kind="primary" onClick={() => setConnecting(true)}>
            Connect a repository
          </Button>
        )
      }
    >
      {isConnecting && mayConnect && known && (
        <Connect known={known} onClose={() => setConnecting(false)} onAdded={projects.reload} />
      )}
      <Load from={projects}>
        {({ projects: all }) => (
          <Table
            label="Projects"
            rows={all}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => projectPath(id)}
            columns={[
              { title: 'Project', cell: ({ id }) => id, sortBy: ({ id }) => id },
              { title: 'Repository', cell: ({ repository }) => repository || '—' },
              { title: 'Site', cell: ({ site }) => site ?? '—' },
              { title: 'Model', cell: ({ model }) => model ?? '—' },
              { title: 'From', cell: ({ from }) => (from === 'file' ? 'File' : 'Dashboard') },
            ]}
            empty={<NoProjects />}
          />
        )}
      </Load>
    </Page>
  );
}

function OneProject({ id }: { id: string }) {
  const projects = useGet<ProjectsReply>('/v1/projects');
  const [isChanging, setChanging] = useState(false);
  const known = projects.data.value;
  const own = known?.projects.find((one) => one.id === id);
  const mayChange = own?.from === 'dashboard' && can('PATCH /v1/projects/{projectId}');
  return (
    <Page
      title={id}
      parent={{ href: '/projects', title: 'Projects' }}
      actions={
        mayChange && (
          <>
            <Remove project={id} />
            <Button onClick={() => setChanging(true)}>Change</Button>
          </>
        )
      }
    >
      {isChanging && own && known && (
        <ChangeProject
          project={own}
          known={known}
          onClose={() => setChanging(false)}
          onSaved={projects.reload}
        />
      )}
      <Load from={projects}>
        {({ projects: all }) => {
          const project = all.find((one) => one.id === id);
          if (project) return <Content project={project} />;
          return <Empty icon="search" title="There’s no such project in this organization" />;
        }}
      </Load>
    </Page>
  );
}

function Remove({ project }: { project: string }) {
  const { route } = useLocation();
  const ask = () =>
    confirm({
      title: `Remove ${project}?`,
      consequences:
        'Jobs that run fail, and webhooks of the host are refused. The repository and its pull requests stay as they are. If you add the project again under this name, its jobs are back.',
      action: 'Remove project',
      run: async () => {
        await send('DELETE', `/v1/projects/${encodeURIComponent(project)}`);
        route(to('/projects'));
      },
    });
  return <Button onClick={ask}>Remove</Button>;
}

type Job = AllJobsReply['jobs'][number];

function Content({ project }: { project: Project }) {
  const { id, repository, model } = project;
  const jobs = useList<Job>('/v1/jobs', 'jobs', { project: id });
  const { route } = useLocation();
  const path = encodeURIComponent(id);
  return (
    <>
      <p class="quiet">
        {repository === '' ? (
          <>
            The project has no repository. To create jobs, set <code>repository</code> in the
            configuration.
          </>
        ) : (
          <>
            Works on <code>{repository}</code>
          </>
        )}
      </p>
      {repository !== '' && can('POST /v2/agent/{projectId}/job') && (
        <Section
          title="What should change in the documentation?"
          description={
            model === null
              ? 'You review the result as a pull request. To give instructions in your own words, set a language model for the project.'
              : `${model} makes the change. You review it as a pull request.`
          }
        >
          <Instruct
            takesWords={model !== null}
            label="Instruction"
            placeholder="Explain how …"
            submit="Start the job"
            onSubmit={async (instruction, key) => {
              const job = await send<AgentJob>('POST', `/v2/agent/${path}/job`, instruction, key);
              route(to(jobPath(id, job.id)));
            }}
          />
        </Section>
      )}
      <Section title="Jobs">
        <Table
          label="Jobs"
          list={jobs}
          keyOf={(job) => job.id}
          hrefOf={(job) => jobPath(id, job.id)}
          columns={[
            { title: 'Job', cell: ({ title, source }) => title ?? source.ref },
            { title: 'State', cell: (job) => <JobState job={job} /> },
            { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
          empty={<Empty icon="jobs" title="No jobs yet" />}
        />
      </Section>
      <Host project={project} />
      <Pulls project={id} />
      <HostEvents project={id} />
    </>
  );
}

function Pulls({ project }: { project: string }) {
  const path = `/v1/projects/${encodeURIComponent(project)}/pulls`;
  const pulls = useGet<LocalPullsReply>(path, { take: 50 });
  const data = pulls.data.value;
  // Another host shows its own.
  if (!data?.isLocal) return null;
  return (
    <Section title="Pull requests">
      <Table
        label="Pull requests"
        rows={data.pulls}
        keyOf={({ number }) => String(number)}
        hrefOf={({ number }) => pullPath(project, number)}
        columns={[
          {
            title: 'Pull request',
            cell: ({ title, number }) => <Two first={title}>#{number}</Two>,
          },
          { title: 'State', cell: (pull) => <PullState pull={pull} /> },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={<Empty icon="jobs" title="No pull requests yet" />}
      />
    </Section>
  );
}

function PullState({ pull }: { pull: LocalPull }) {
  const [tone, label] = stateOfPull(pull);
  return <Badge tone={tone}>{label}</Badge>;
}
