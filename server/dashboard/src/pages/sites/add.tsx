/** Makes a repository of a connected host a site, and changes such a site. */
import type { ConnectionsReply, RepositoriesReply } from '@docent/shared/connections';
import type { ChangeSiteRequest, RecognizedSite, SiteReply } from '@docent/shared/sites';
import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { useGet, useLoad } from '../../api/load.ts';
import { to } from '../../base.ts';
import { Notice } from '../../components/badge.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Empty, Load } from '../../components/empty.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { loadSites } from '../../components/site.tsx';
import { toast } from '../../components/toast.tsx';
import { RepositoryField } from '../projects/repository-field.tsx';

interface Chosen {
  connection: string;
  repository: string;
}

/** The page of a project leads here, with its repository in the address. */
export function chosenRepository(): Chosen | undefined {
  const query = new URLSearchParams(location.search);
  const [connection, repository] = [query.get('connection'), query.get('repository')];
  return connection !== null && repository !== null ? { connection, repository } : undefined;
}

export function AddSite({ onClose }: { onClose: () => void }) {
  const [chosen, setChosen] = useState(chosenRepository);
  return (
    <Dialog title="Add a site" onClose={onClose}>
      {chosen ? (
        <Describe chosen={chosen} onClose={onClose} />
      ) : (
        <Choose onClose={onClose} onChosen={setChosen} />
      )}
    </Dialog>
  );
}

function Choose({ onClose, onChosen }: { onClose: () => void; onChosen: (one: Chosen) => void }) {
  const connections = useGet<ConnectionsReply>('/v1/connections');
  return (
    <Load from={connections}>
      {({ connections: all }) =>
        all[0] ? (
          <ChooseRepository all={all} first={all[0].id} onClose={onClose} onChosen={onChosen} />
        ) : (
          <Empty icon="sites" title="No connected hosts">
            First <a href={to('/projects')}>connect the repository</a> of the documentation.
          </Empty>
        )
      }
    </Load>
  );
}

interface ChooseRepositoryProps {
  all: ConnectionsReply['connections'];
  first: string;
  onClose: () => void;
  onChosen: (one: Chosen) => void;
}

function ChooseRepository({ all, first, onClose, onChosen }: ChooseRepositoryProps) {
  const [connection, setConnection] = useState(first);
  const found = useGet<RepositoriesReply>(`/v1/connections/${connection}/repositories`);
  return (
    <Form
      submit="Continue"
      onCancel={onClose}
      onSubmit={async (data) => onChosen({ connection, repository: textOf(data, 'repository') })}
    >
      <Field name="connection" label="Host">
        <select onChange={({ currentTarget }) => setConnection(currentTarget.value)}>
          {all.map(({ id, account, url }) => (
            <option key={id} value={id}>
              {account} at {new URL(url).host}
            </option>
          ))}
        </select>
      </Field>
      <RepositoryField help="That has the pages of the documentation.">
        {found.data.value?.repositories.map(({ path }) => (
          <option key={path} value={path} />
        ))}
      </RepositoryField>
    </Form>
  );
}

function Describe({ chosen, onClose }: { chosen: Chosen; onClose: () => void }) {
  const { route } = useLocation();
  const path = '/v1/sites/recognize';
  const found = useLoad(path, () => send<RecognizedSite>('POST', path, chosen));
  return (
    <Load from={found}>
      {(site) => (
        <Form
          submit="Add the site"
          onCancel={onClose}
          onSubmit={async (data) => {
            const domain = textOf(data, 'domain');
            await send('POST', '/v1/sites', { ...chosen, ...siteIn(data), domain });
            loadSites();
            toast(`${domain} is being indexed`);
            route(to(`/sites/${encodeURIComponent(domain)}`));
          }}
        >
          <p>
            {site.generator}, in <code>{chosen.repository}</code>. Check what its settings say.
          </p>
          {site.notes.map((note) => (
            <Notice key={note} tone="warn">
              {note}
            </Notice>
          ))}
          <Fields site={site}>
            <Field name="domain" label="Identifier" help="In the script tag. It stays.">
              <input required defaultValue={site.domain} autoComplete="off" spellcheck={false} />
            </Field>
          </Fields>
        </Form>
      )}
    </Load>
  );
}

/** Of a site that was added here. */
export function EditSite({ site, onClose, onSaved }: EditSiteProps) {
  return (
    <Dialog title={`Change ${site.name}`} onClose={onClose}>
      <Form
        submit="Save"
        onCancel={onClose}
        onSubmit={async (data) => {
          await send('PATCH', `/v1/sites/${encodeURIComponent(site.domain)}`, siteIn(data));
          loadSites();
          await onSaved();
          onClose();
        }}
      >
        <Fields site={site} />
      </Form>
    </Dialog>
  );
}

interface EditSiteProps {
  site: SiteReply;
  onClose: () => void;
  onSaved: () => Promise<void>;
}

function siteIn(data: FormData): ChangeSiteRequest {
  return {
    name: textOf(data, 'name'),
    folder: textOf(data, 'folder'),
    baseUrl: textOf(data, 'baseUrl') || null,
    allowedOrigins: textOf(data, 'allowedOrigins').split(/\s+/).filter(Boolean),
    model: textOf(data, 'model') || null,
  };
}

type Shown = Omit<ChangeSiteRequest, 'model'> & Partial<Pick<SiteReply, 'model' | 'models'>>;

/** `children`: beside the name. */
function Fields({ site, children }: { site: Shown; children?: ComponentChildren }) {
  const { models = [], model = models[0] ?? null } = site;
  return (
    <>
      <div class="pair">
        <Field name="name" label="Name" help="That readers see.">
          <input required defaultValue={site.name} autoComplete="off" />
        </Field>
        {children}
      </div>
      <Field
        name="baseUrl"
        label="Address (optional)"
        help="Where the site is published. Without it, citations lead to the site that shows them."
      >
        <input
          type="url"
          defaultValue={site.baseUrl ?? ''}
          placeholder="https://docs.example.com"
          spellcheck={false}
        />
      </Field>
      <Field
        name="allowedOrigins"
        label="Allowed origins"
        help="Whose pages may ask, one in each line."
      >
        <textarea rows={3} spellcheck={false}>
          {site.allowedOrigins.join('\n')}
        </textarea>
      </Field>
      <div class="pair">
        <Field name="folder" label="Folder (optional)" help="Of the pages in the repository.">
          <input defaultValue={site.folder} autoComplete="off" spellcheck={false} />
        </Field>
        <Field name="model" label="Model" help="Without one, answers are quotations.">
          <select>
            {models.map((name) => (
              <option key={name} value={name} selected={name === model}>
                {name}
              </option>
            ))}
            <option value="" selected={model === null}>
              None
            </option>
          </select>
        </Field>
      </div>
    </>
  );
}
