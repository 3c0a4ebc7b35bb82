/** Makes a repository of a connected host a project, and changes such a project. */
import type {
  AddProjectReply,
  ChangeProjectRequest,
  Connection,
  RepositoriesReply,
} from '@docent/shared/connections';
import type { ProjectsReply } from '@docent/shared/jobs-list';
import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { useGet } from '../../api/load.ts';
import { Notice } from '../../components/badge.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Load } from '../../components/empty.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { sites } from '../../components/site.tsx';
import { RepositoryField } from './repository-field.tsx';

interface AddProjectProps {
  connection: Connection;
  known: ProjectsReply;
  onClose: () => void;
  onAdded: (project: string) => Promise<void>;
}

/** `acme/Docs Site` is suggested as `docs-site`. */
const nameFor = (repository: string) =>
  (repository.split('/').at(-1) ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]/, '');

export function AddProject({ connection, known, onClose, onAdded }: AddProjectProps) {
  const path = `/v1/connections/${connection.id}/repositories`;
  const found = useGet<RepositoriesReply>(path);
  const [repository, setRepository] = useState('');
  const submit = async (data: FormData) => {
    const { id } = await send<AddProjectReply>('POST', '/v1/projects', {
      connection: connection.id,
      repository: textOf(data, 'repository'),
      id: textOf(data, 'id'),
      ...settingsIn(data),
    });
    await onAdded(id);
  };
  return (
    <Dialog title="Choose a repository" onClose={onClose}>
      <Load from={found}>
        {({ repositories }) => (
          <Form submit="Add the project" onCancel={onClose} onSubmit={submit}>
            {repositories.length === 0 && (
              <Notice tone="warn">
                {connection.account} has no repository yet.{' '}
                {connection.installUrl && (
                  <a href={connection.installUrl}>Choose some at GitHub.</a>
                )}
              </Notice>
            )}
            <RepositoryField
              help="Docent checks at once whether it can work there."
              onInput={setRepository}
            >
              {repositories.map(({ path, project }) => (
                <option
                  key={path}
                  value={path}
                  label={project === null ? path : `${path} (${project})`}
                />
              ))}
            </RepositoryField>
            <div class="pair">
              <Field name="id" label="Name">
                <input
                  key={nameFor(repository)}
                  required
                  defaultValue={nameFor(repository)}
                  placeholder="docs"
                  autoComplete="off"
                  spellcheck={false}
                />
              </Field>
              <Folder />
            </div>
            <Settings known={known} />
            {connection.installUrl && (
              <p class="quiet">
                Something missing?{' '}
                <a href={connection.installUrl}>Choose repositories at GitHub.</a>
              </p>
            )}
          </Form>
        )}
      </Load>
    </Dialog>
  );
}

type Project = ProjectsReply['projects'][number];

interface ChangeProjectProps {
  project: Project;
  known: ProjectsReply;
  onClose: () => void;
  onSaved: () => Promise<void>;
}

/** Of a project that was added here. */
export function ChangeProject({ project, known, onClose, onSaved }: ChangeProjectProps) {
  return (
    <Dialog title={`Change ${project.id}`} onClose={onClose}>
      <Form
        submit="Save"
        onCancel={onClose}
        onSubmit={async (data) => {
          await send('PATCH', `/v1/projects/${encodeURIComponent(project.id)}`, settingsIn(data));
          await onSaved();
          onClose();
        }}
      >
        <Folder value={project.docsRoot} />
        <Settings known={known} project={project} />
      </Form>
    </Dialog>
  );
}

const Folder = ({ value = '' }: { value?: string }) => (
  <Field name="docsRoot" label="Folder (optional)" help="Of the documentation.">
    <input defaultValue={value} autoComplete="off" spellcheck={false} placeholder="docs" />
  </Field>
);

const drafts = { caller: 'As the job says', always: 'Always', never: 'Never' };

function Settings({ known, project }: { known: ProjectsReply; project?: Project }) {
  const taken = known.projects.map(({ site }) => site);
  const free =
    sites.value?.filter(({ domain }) => !taken.includes(domain) || domain === project?.site) ?? [];
  const options = (name: string, chosen: string | null, label = name) => (
    <option key={name} value={name} selected={name === chosen}>
      {label}
    </option>
  );
  const model = project ? project.model : (known.models[0] ?? null);
  return (
    <>
      <div class="pair">
        <Field name="site" label="Site (optional)" help="That’s built from it.">
          <select>
            {options('', project?.site ?? '', 'None')}
            {free.map(({ domain, name }) => options(domain, project?.site ?? '', name))}
          </select>
        </Field>
        <Field name="model" label="Model" help="Without one, jobs take commands.">
          <select>
            {known.models.map((name) => options(name, model))}
            {options('', model ?? '', 'None')}
          </select>
        </Field>
      </div>
      <div class="pair">
        <Field name="baseBranch" label="Branch (optional)" help="Where pull requests go.">
          <input
            defaultValue={project?.baseBranch ?? ''}
            autoComplete="off"
            spellcheck={false}
            placeholder="The default branch"
          />
        </Field>
        <Field name="draft" label="Drafts" help="Whether pull requests are drafts.">
          <select>
            {Object.entries(drafts).map(([name, label]) =>
              options(name, project?.draft ?? 'caller', label),
            )}
          </select>
        </Field>
      </div>
      <div class="pair">
        <Names
          name="labels"
          label="Labels (optional)"
          example="documentation"
          value={project?.labels}
        />
        <Names
          name="reviewers"
          label="Reviewers (optional)"
          example="lena, team:docs"
          value={project?.reviewers}
        />
      </div>
    </>
  );
}

interface NamesProps {
  name: 'labels' | 'reviewers';
  label: string;
  example: string;
  value: string[] | undefined;
}

const Names = ({ name, label, example, value = [] }: NamesProps) => (
  <Field name={name} label={label} help="Of new pull requests, separated by commas.">
    <input
      defaultValue={value.join(', ')}
      autoComplete="off"
      spellcheck={false}
      placeholder={example}
    />
  </Field>
);

function settingsIn(data: FormData): ChangeProjectRequest {
  const chosen = (name: string) => textOf(data, name) || null;
  const names = (name: string) =>
    textOf(data, name)
      .split(',')
      .flatMap((one) => one.trim() || []);
  return {
    docsRoot: textOf(data, 'docsRoot'),
    baseBranch: chosen('baseBranch'),
    draft: textOf(data, 'draft') as ChangeProjectRequest['draft'],
    labels: names('labels'),
    reviewers: names('reviewers'),
    site: chosen('site'),
    model: chosen('model'),
  };
}
