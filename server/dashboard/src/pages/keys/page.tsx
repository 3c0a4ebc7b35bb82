/** API keys: what each may do, who uses it, and how much. */
import type { ManagedKey } from '@docent/shared/managed-keys';
import { useMemo, useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { useList } from '../../api/load.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Empty } from '../../components/empty.tsx';
import { Filters, Segmented, useFilters } from '../../components/filters.tsx';
import { Icon } from '../../components/icons.tsx';
import { formatMoney, formatNumber } from '../../components/number.tsx';
import { Page } from '../../components/page.tsx';
import { sites } from '../../components/site.tsx';
import { type Column, Table, Two } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { can } from '../../session.ts';
import { usePalette } from '../../shell/palette.tsx';
import { CreateKey } from './create-key.tsx';
import { RotateKey } from './rotate-key.tsx';
import { nameOf, Rights, Status, tokenOf } from './status.tsx';

const statuses = [
  { value: 'active', label: 'Active' },
  { value: 'ended', label: 'Revoked or expired' },
  { value: 'all', label: 'All' },
];

export default function KeysPage() {
  const { values, set } = useFilters({ status: 'active' });
  const status = values.status === 'all' ? undefined : values.status;
  const list = useList<ManagedKey>('/v1/keys', 'keys', { status, limit: 200 });
  const [open, setOpen] = useState<'create' | ManagedKey>();
  const close = () => setOpen(undefined);
  usePalette(
    useMemo(
      () =>
        can('POST /v1/keys')
          ? [{ title: 'Create key', icon: 'plus', hint: 'API keys', go: () => setOpen('create') }]
          : [],
      [],
    ),
  );

  const create = can('POST /v1/keys') && (
    <Button kind="primary" onClick={() => setOpen('create')}>
      <Icon name="plus" />
      Create key
    </Button>
  );
  const actions: Column<ManagedKey> = {
    title: 'Actions',
    isActions: true,
    cell: (key) =>
      key.status === 'active' && (
        <>
          <IconButton
            icon="reload"
            label={`Rotate ${nameOf(key)}`}
            title="Rotate"
            onClick={() => setOpen(key)}
          />
          <IconButton
            icon="delete"
            label={`Revoke ${nameOf(key)}`}
            title="Revoke"
            onClick={() => askToRevoke(key, list.reload)}
          />
        </>
      ),
  };

  return (
    <Page
      title="API keys"
      description="Assistant keys are for your pages, and readers can see them. Admin keys are secrets for your servers."
      actions={create}
    >
      <Filters>
        <Segmented
          label="Status"
          value={values.status}
          options={statuses}
          onChange={(value) => set({ status: value })}
        />
      </Filters>
      <Table
        label="API keys"
        list={list}
        columns={can('POST /v1/keys/{id}/revoke') ? [...columns, actions] : columns}
        keyOf={({ id }) => id}
        empty={
          values.status === 'ended' ? (
            <Empty icon="keys" title="No revoked or expired keys">
              Revoked and expired keys stay in this list.
            </Empty>
          ) : (
            <Empty icon="keys" title="No keys yet" actions={create}>
              A page needs an assistant key to ask questions, and a server needs an admin key.
            </Empty>
          )
        }
      />
      {open === 'create' && <CreateKey onClose={close} onCreated={list.reload} />}
      {typeof open === 'object' && (
        <RotateKey apiKey={open} onClose={close} onRotated={list.reload} />
      )}
    </Page>
  );
}

const siteName = ({ domain }: ManagedKey) =>
  domain === null
    ? 'All sites'
    : (sites.value?.find((site) => site.domain === domain)?.name ?? domain);

const columns: readonly Column<ManagedKey>[] = [
  {
    title: 'Key',
    sortBy: ({ name }) => name.toLowerCase(),
    cell: (key) => (
      <Two first={key.name || 'Unnamed'}>
        <code>{tokenOf(key)}</code>
      </Two>
    ),
  },
  {
    title: 'Status',
    sortBy: ({ expiresAt }) => expiresAt ?? undefined,
    cell: (key) => <Status apiKey={key} />,
  },
  {
    title: 'For',
    sortBy: (key) => siteName(key).toLowerCase(),
    cell: (key) => (
      <Two first={key.kind === 'admin' ? 'Servers (admin)' : siteName(key)}>
        <Rights apiKey={key} />
      </Two>
    ),
  },
  {
    title: 'Last used',
    sortBy: ({ lastUsedAt }) => lastUsedAt ?? undefined,
    cell: ({ lastUsedAt }) =>
      lastUsedAt ? <Time at={lastUsedAt} /> : <span class="quiet">Never</span>,
  },
  {
    title: 'Questions this month',
    isNumber: true,
    sortBy: ({ usage }) => usage.questions + usage.requests,
    cell: (key) => <Usage apiKey={key} />,
  },
  {
    title: 'Created',
    sortBy: ({ createdAt }) => createdAt,
    cell: ({ createdAt, createdBy }) => (
      <Two first={<Time at={createdAt} />}>
        <span class="short">
          {createdBy.kind === 'command-line' ? 'Command line' : (createdBy.name ?? 'Somebody')}
        </span>
      </Two>
    ),
  },
];

/** Requests of admin keys have no limit, and aren't counted. Their jobs cost something. */
function Usage({ apiKey: { kind, usage } }: { apiKey: ManagedKey }) {
  const { questions, requests, limit, costUsd } = usage;
  if (kind === 'admin') {
    return <span class="quiet">{costUsd > 0 ? formatMoney(costUsd) : 'Not limited'}</span>;
  }
  const isNear = Math.max(questions, requests) >= limit * 0.9;
  const used = `${formatNumber(questions)} of ${formatNumber(limit)}`;
  const more = [
    ...(requests > 0 ? [`${formatNumber(requests)} other requests`] : []),
    ...(costUsd > 0 ? [formatMoney(costUsd)] : []),
  ];
  return <Two first={isNear ? <span class="bad">{used}</span> : used}>{more.join(' · ')}</Two>;
}

/** Who revokes a key that is in use has to type its name. */
const inUseMs = 7 * 86_400_000;

function askToRevoke(key: ManagedKey, reload: () => Promise<void>): void {
  const { lastUsedAt, usage, kind, name } = key;
  const isInUse = lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < inUseMs;
  const uses = usage.questions + usage.requests;
  confirm({
    title: `Revoke ${nameOf(key)}?`,
    consequences: (
      <>
        {kind === 'assistant'
          ? 'Pages with this key stop answering with the next question. '
          : 'Programs with this key fail with their next request. '}
        {lastUsedAt === null ? (
          'It was never used. '
        ) : (
          <>
            It was last used <Time at={lastUsedAt} />
            {uses > 0 && `, and ${formatNumber(uses)} times this month`}.{' '}
          </>
        )}
        You can’t undo this. To replace the key without an interruption, rotate it.
      </>
    ),
    action: 'Revoke key',
    ...(isInUse && name !== '' && { typeName: name }),
    run: async () => {
      await send('POST', `/v1/keys/${key.id}/revoke`);
      toast(`${nameOf(key)} is revoked`);
      await reload();
    },
  });
}
