/** Hosts that were connected, and what uses them. */
import type { Connection, ConnectionsReply } from '@docent/shared/connections';
import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { useGet } from '../../api/load.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Empty } from '../../components/empty.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { Section } from '../../components/page.tsx';
import { type Column, Table, Two } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { can } from '../../session.ts';
import { ConnectionEvents } from '../projects/host-events.tsx';

type Kind = 'projects' | 'sites';

interface Actions {
  disconnect: (connection: Connection) => void;
  replace: (connection: Connection) => void;
  showEvents: (connection: Connection) => void;
  removeHidden: (kind: Kind, id: string) => void;
}

const columns = ({
  disconnect,
  replace,
  showEvents,
  removeHidden,
}: Actions): Column<Connection>[] => [
  {
    title: 'Host',
    cell: ({ account, url }) => <Two first={account}>{url}</Two>,
  },
  {
    title: 'Used by',
    cell: (connection) => {
      const used = (['projects', 'sites'] as const).flatMap((kind) =>
        connection[kind].map((one) => ({ ...one, kind })),
      );
      if (used.length === 0) return '—';
      const hidden = used.filter(({ isUsed }) => !isUsed);
      return (
        <Two first={used.map(({ id }) => id).join(', ')}>
          {hidden.map(({ id, kind }) => (
            <span key={id}>
              The file has {kind === 'sites' ? 'a site' : 'a project'} {id}, which hides this one.{' '}
              {can('DELETE /v1/connections/{id}') && (
                <Button onClick={() => removeHidden(kind, id)}>Remove {id} here</Button>
              )}
            </span>
          ))}
        </Two>
      );
    },
  },
  { title: 'Connected', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    title: 'Actions',
    isActions: true,
    cell: (connection) =>
      can('DELETE /v1/connections/{id}') && (
        <>
          {connection.installUrl === null && (
            <IconButton
              icon="keys"
              label={`Replace the token of ${connection.account}`}
              onClick={() => replace(connection)}
            />
          )}
          {connection.hook !== null && (
            <IconButton
              icon="webhooks"
              label={`Events of ${connection.account}`}
              onClick={() => showEvents(connection)}
            />
          )}
          <IconButton
            icon="close"
            label={`Disconnect ${connection.account}`}
            onClick={() => disconnect(connection)}
          />
        </>
      ),
  },
];

export function Connections() {
  const connections = useGet<ConnectionsReply>('/v1/connections');
  const [replaced, replace] = useState<Connection>();
  const [shown, showEvents] = useState<Connection>();
  const all = connections.data.value?.connections ?? [];
  if (all.length === 0) return null;
  const disconnect = ({ id, account }: Connection) =>
    confirm({
      title: `Disconnect ${account}?`,
      consequences:
        'Docent forgets its credentials. To revoke them, delete the token or the App at the host.',
      action: 'Disconnect',
      run: async () => {
        await send('DELETE', `/v1/connections/${id}`);
        await connections.reload();
      },
    });
  const removeHidden = (kind: Kind, id: string) =>
    confirm({
      title: `Remove ${id} from the dashboard?`,
      consequences: 'The one of the configuration file stays as it is.',
      action: 'Remove',
      run: async () => {
        await send('DELETE', `/v1/${kind}/${encodeURIComponent(id)}`);
        await connections.reload();
      },
    });
  return (
    <Section
      title="Connected hosts"
      description="Connected on the page of projects. Their credentials are encrypted, and never shown."
    >
      {replaced && (
        <Dialog
          title={`Replace the token of ${replaced.account}`}
          onClose={() => replace(undefined)}
        >
          <Form
            submit="Replace"
            onCancel={() => replace(undefined)}
            onSubmit={async (data) => {
              const body = { token: textOf(data, 'token') };
              await send('PATCH', `/v1/connections/${replaced.id}`, body);
              replace(undefined);
              toast('The new token is in use');
              await connections.reload();
            }}
          >
            <Field
              name="token"
              label="New token"
              help="Docent checks it first. If it lacks something, the old one stays."
            >
              <input type="password" required autoComplete="off" spellcheck={false} />
            </Field>
          </Form>
        </Dialog>
      )}
      {shown && (
        <Dialog title={`Events of ${shown.account}`} onClose={() => showEvents(undefined)}>
          <div class="stack">
            <p class="quiet">Of repositories without a project. A project’s page has its own.</p>
            <ConnectionEvents id={shown.id} />
          </div>
        </Dialog>
      )}
      <Table
        label="Connected hosts"
        columns={columns({ disconnect, replace, showEvents, removeHidden })}
        rows={all}
        keyOf={({ id }) => id}
        empty={<Empty title="No hosts" />}
      />
    </Section>
  );
}
