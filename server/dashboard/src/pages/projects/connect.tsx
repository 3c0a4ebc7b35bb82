/** Connects a host of repositories. Then one of its repositories becomes a project. */
import type {
  BeginAppReply,
  Connection,
  ConnectionReply,
  ConnectionsReply,
  ConnectReply,
  ForgeName,
} from '@docent/shared/connections';
import type { ProjectsReply } from '@docent/shared/jobs-list';
import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { toApiError, useGet } from '../../api/load.ts';
import { projectPath, serviceUrl, to } from '../../base.ts';
import { Notice } from '../../components/badge.tsx';
import { Snippet } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Segmented } from '../../components/filters.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { Secret } from '../../components/secret.tsx';
import { toast } from '../../components/toast.tsx';
import { AddProject } from './add-project.tsx';

type Step =
  | { kind: 'host'; failure?: string }
  | { kind: 'install'; connection: Connection }
  | { kind: 'repository'; connection: Connection; hookSecret?: string }
  | { kind: 'hook'; connection: Connection; hookSecret: string; project: string };

const forges: Record<ForgeName, { name: string; url: string; rights: string }> = {
  github: {
    name: 'GitHub',
    url: 'https://github.com',
    rights:
      'A fine-grained token for the documentation’s repository that may read and write contents and pull requests.',
  },
  gitea: {
    name: 'Gitea, Forgejo',
    url: '',
    rights: 'A token with the scopes “repository” (read and write) and “user” (read).',
  },
  gitlab: {
    name: 'GitLab',
    url: 'https://gitlab.com',
    rights: 'A token with the scope “api”, of an account with the role Developer.',
  },
};

/** Whether GitHub has just sent this person back. */
export const isBack = (): boolean =>
  ['code', 'installation_id'].some((name) => new URLSearchParams(location.search).has(name));

/** What GitHub says in the address, which is read once. */
async function comeBack(query: URLSearchParams): Promise<Step> {
  const installationId = Number(query.get('installation_id'));
  try {
    if (installationId > 0) {
      const body = { installationId };
      const { connection } = await send<ConnectionReply>('POST', '/v1/connections/installed', body);
      return { kind: 'repository', connection };
    }
    const body = { code: query.get('code') ?? '', state: query.get('state') ?? '' };
    const path = '/v1/connections/github/finish';
    return {
      kind: 'install',
      connection: (await send<ConnectionReply>('POST', path, body)).connection,
    };
  } catch (error) {
    return { kind: 'host', failure: toApiError(error).message };
  }
}

interface ConnectProps {
  known: ProjectsReply;
  onClose: () => void;
  onAdded: () => Promise<void>;
}

export function Connect({ known, onClose, onAdded }: ConnectProps) {
  const { route } = useLocation();
  const [step, setStep] = useState<Step | undefined>(isBack() ? undefined : { kind: 'host' });
  useEffect(() => {
    if (!isBack()) return;
    const query = new URLSearchParams(location.search);
    // The code works once, so it doesn't stay in the address.
    history.replaceState(null, '', location.pathname);
    void comeBack(query).then(setStep);
  }, []);
  const leave = (project: string) => {
    onClose();
    route(to(projectPath(project)));
  };
  if (!step) {
    return (
      <Dialog title="Connecting" onClose={onClose}>
        <p role="status">Asking GitHub …</p>
      </Dialog>
    );
  }
  if (step.kind === 'hook') {
    const { project, connection, hookSecret } = step;
    return (
      <Secret
        title={`${project} is ready`}
        onClose={() => leave(project)}
        value={hookSecret}
        label="webhook secret"
        note="To talk to pull requests, add a webhook at the host, with this secret and the address below."
      >
        <Snippet text={connection.hook ?? ''} label="Copy the address" />
      </Secret>
    );
  }
  if (step.kind === 'host') return <ChooseHost {...step} onClose={onClose} onStep={setStep} />;
  const { connection } = step;
  if (step.kind === 'install') {
    return (
      <Dialog title={`${connection.account} is ready`} onClose={onClose}>
        <div class="form">
          <p>
            The GitHub App is yours, and Docent keeps its key encrypted. Now choose the repositories
            that it may change.
          </p>
          <div class="form-foot">
            <a class="button primary" href={connection.installUrl ?? ''}>
              Choose repositories
            </a>
          </div>
        </div>
      </Dialog>
    );
  }
  return (
    <AddProject
      known={known}
      connection={connection}
      onClose={onClose}
      onAdded={async (project) => {
        await onAdded();
        const { hookSecret } = step;
        if (hookSecret) return setStep({ kind: 'hook', connection, hookSecret, project });
        toast(`${project} is ready`);
        leave(project);
      }}
    />
  );
}

interface ChooseHostProps {
  failure?: string;
  onClose: () => void;
  onStep: (step: Step) => void;
}

const isLocal = /^(localhost|127\.|\[::1\])/.test(location.hostname);

function ChooseHost({ failure, onClose, onStep }: ChooseHostProps) {
  const all = useGet<ConnectionsReply>('/v1/connections').data.value?.connections ?? [];
  const [forge, setForge] = useState<ForgeName>('github');
  const [way, setWay] = useState<string>('app');
  const isApp = forge === 'github' && way === 'app';
  const { url, rights } = forges[forge];
  const submit = async (data: FormData) => {
    if (isApp) {
      const hookUrl = textOf(data, 'hookUrl');
      const { page } = await send<BeginAppReply>('POST', '/v1/connections/github', {
        url: textOf(data, 'url'),
        owner: textOf(data, 'owner'),
        hookUrl: hookUrl === '' ? null : hookUrl,
      });
      location.assign(serviceUrl(page));
      return;
    }
    const body = { forge, url: textOf(data, 'url'), token: textOf(data, 'token') };
    const made = await send<ConnectReply>('POST', '/v1/connections', body);
    onStep({ kind: 'repository', ...made });
  };
  return (
    <Dialog title="Connect a repository" onClose={onClose}>
      <div class="form">
        {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
        {all.length > 0 && (
          <div class="stack">
            <p>Choose from a connected host, or connect another one below.</p>
            <div class="row">
              {all.map((connection) => (
                <button
                  key={connection.id}
                  type="button"
                  class="button"
                  onClick={() => onStep({ kind: 'repository', connection })}
                >
                  {connection.account} at {new URL(connection.url).host}
                </button>
              ))}
            </div>
          </div>
        )}
        <Form
          submit={isApp ? 'Continue to GitHub' : 'Connect'}
          onCancel={onClose}
          onSubmit={submit}
        >
          <Segmented
            label="Host"
            value={forge}
            options={Object.entries(forges).map(([value, { name }]) => ({ value, label: name }))}
            onChange={(value) => setForge(value as ForgeName)}
          />
          {forge === 'github' && (
            <Segmented
              label="Access"
              value={way}
              options={[
                { value: 'app', label: 'GitHub App of your own' },
                { value: 'token', label: 'Token' },
              ]}
              onChange={setWay}
            />
          )}
          <Field
            name="url"
            label="Address"
            help={isApp ? 'Or that of your GitHub Enterprise.' : undefined}
          >
            <input
              key={forge}
              type="url"
              required
              defaultValue={url}
              placeholder="https://git.example.com"
              spellcheck={false}
            />
          </Field>
          {isApp ? (
            <>
              <Field
                name="owner"
                label="Organization at GitHub (optional)"
                help="It owns the App. If empty, you do."
              >
                <input autoComplete="off" spellcheck={false} />
              </Field>
              <Field
                name="hookUrl"
                label="Address of Docent for GitHub (optional)"
                help="GitHub sends comments and failed checks there. Leave it empty if GitHub can’t reach Docent."
              >
                <input
                  type="url"
                  defaultValue={isLocal ? '' : serviceUrl('')}
                  placeholder="https://docent.example.com"
                  spellcheck={false}
                />
              </Field>
            </>
          ) : (
            <Field name="token" label="Token" help={rights}>
              <input type="password" required autoComplete="off" spellcheck={false} />
            </Field>
          )}
        </Form>
      </div>
    </Dialog>
  );
}
