import { type KeyKind, keyScopes } from '@docent/shared/keys';
import type { KeyWithToken } from '@docent/shared/managed-keys';
import { useState } from 'preact/hooks';
import { ApiError, send } from '../../api/client.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Segmented } from '../../components/filters.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { sites } from '../../components/site.tsx';
import { NewToken } from './new-token.tsx';

interface CreateKeyProps {
  onClose: () => void;
  onCreated: () => Promise<void>;
}

const kinds = [
  { value: 'assistant', label: 'Assistant: for pages' },
  { value: 'admin', label: 'Admin: for servers' },
];

const scopeWords: Record<string, string> = {
  assistant: 'Ask questions and rate answers',
  search: 'Search and read pages',
  mcp: 'Connect AI tools (MCP)',
  read: 'Read data and status',
  write: 'Create, change, and delete',
};

/** Words or lines that a person separated as they like. */
const listOf = (text: string) => text.split(/[\s,;]+/).filter((each) => each !== '');

export function CreateKey({ onClose, onCreated }: CreateKeyProps) {
  const [kind, setKind] = useState<KeyKind>('assistant');
  const [made, setMade] = useState<KeyWithToken>();
  const create = async (data: FormData) => {
    const scopes = data.getAll('scopes');
    if (scopes.length === 0) throw new ApiError(400, 'bad_request', 'Choose a permission.');
    const networks = listOf(textOf(data, 'networks'));
    const groups = listOf(textOf(data, 'groups'));
    const domain = textOf(data, 'domain');
    const days = textOf(data, 'expiresInDays');
    const body = {
      kind,
      name: textOf(data, 'name'),
      scopes,
      expiresInDays: days === '' ? null : Number(days),
      ...(domain !== '' && { domain }),
      ...(networks.length > 0 && { networks }),
      ...(groups.length > 0 && { groups }),
    };
    setMade(await send('POST', '/v1/keys', body));
    await onCreated();
  };
  if (made) {
    return <NewToken title={`${made.key.name} is ready`} made={made} onClose={onClose} />;
  }
  const isAdmin = kind === 'admin';
  return (
    <Dialog title="Create an API key" onClose={onClose}>
      <Form submit="Create key" onCancel={onClose} onSubmit={create}>
        <Segmented
          label="Kind of key"
          value={kind}
          options={kinds}
          onChange={(value) => setKind(value as KeyKind)}
        />
        <Field name="name" label="Name" help="What it’s for, such as “docs” or “nightly export”.">
          <input required maxLength={100} autoComplete="off" autoFocus />
        </Field>
        <div class="pair">
          {!isAdmin && (
            <Field name="domain" label="Site">
              <select>
                <option value="">All sites</option>
                {sites.value?.map(({ domain, name }) => (
                  <option key={domain} value={domain}>
                    {name}
                  </option>
                ))}
              </select>
            </Field>
          )}
          <Field
            name="expiresInDays"
            label="Expires"
            help={isAdmin ? 'If the key leaks, an early end limits the damage.' : undefined}
          >
            <select key={kind}>
              <option value="">Never</option>
              <option value="7">In 7 days</option>
              <option value="30">In 30 days</option>
              <option value="90" selected={isAdmin}>
                In 90 days
              </option>
              <option value="365">In a year</option>
            </select>
          </Field>
        </div>
        <fieldset key={kind} class="stack tight">
          <legend>Permissions</legend>
          {keyScopes[kind].map((scope) => (
            <label key={scope} class="choice">
              <input type="checkbox" name="scopes" value={scope} defaultChecked />
              {scopeWords[scope]}
            </label>
          ))}
        </fieldset>
        <div class="pair">
          <Field
            name="networks"
            label="Networks"
            help={
              isAdmin
                ? 'Addresses and subnets that can use it, such as 203.0.113.0/24. If empty, all.'
                : 'Only for keys that stay on your servers. If empty, all.'
            }
          >
            <input autoComplete="off" spellcheck={false} placeholder="All" />
          </Field>
          {!isAdmin && (
            <Field
              name="groups"
              label="Groups"
              help="Groups whose pages it can read, such as staff, partners. Not for keys in public pages."
            >
              <input autoComplete="off" spellcheck={false} placeholder="None" />
            </Field>
          )}
        </div>
      </Form>
    </Dialog>
  );
}
