import type { NewShareReply, Share, SharesReply } from '@docent/shared/jobs-list';
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { get, send } from '../../api/client.ts';
import { useLoad } from '../../api/load.ts';
import { confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Load } from '../../components/empty.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { Icon } from '../../components/icons.tsx';
import { Section } from '../../components/page.tsx';
import { Secret } from '../../components/secret.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { can } from '../../session.ts';

/** Counts the links that were created, so that their list loads again. */
const created = signal(0);

interface ShareButtonProps {
  project: string;
  page: Share['page'];
  id: string;
}

/** Lets somebody without an account read a page. */
export function ShareButton(shared: ShareButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [url, setUrl] = useState<string>();
  if (!can('POST /v1/shares')) return null;
  const close = () => {
    setOpen(false);
    setUrl(undefined);
  };
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label="Share"
        title="Share"
        onClick={() => setOpen(true)}
      >
        <Icon name="external" />
      </button>
      {isOpen && (
        <Dialog title="Share this job" onClose={close}>
          {url === undefined ? (
            <Form
              submit="Create link"
              onCancel={close}
              onSubmit={async (data) => {
                const days = Number(textOf(data, 'days'));
                const made = await send<NewShareReply>('POST', '/v1/shares', { ...shared, days });
                setUrl(made.url);
                created.value += 1;
              }}
            >
              <p>Anyone with the link can read the job without an account, and can’t change it.</p>
              <Field name="days" label="Works for (days)">
                <input type="number" min={1} max={90} defaultValue={7} required />
              </Field>
            </Form>
          ) : (
            <Secret value={url} label="link" />
          )}
        </Dialog>
      )}
    </>
  );
}

export function Shares() {
  const shares = useLoad('/v1/shares', (abort) => get<SharesReply>('/v1/shares', {}, abort));
  useEffect(() => {
    if (created.value > 0) void shares.reload();
  }, [created.value]);
  const columns: Column<Share>[] = [
    { title: 'Shared', cell: ({ page, pageId }) => `${pageNames[page]} ${pageId}` },
    { title: 'Project', cell: ({ project }) => project },
    { title: 'By', cell: ({ createdBy }) => createdBy.name },
    { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      title: 'Actions',
      isActions: true,
      cell: ({ id }) =>
        can('DELETE /v1/shares/{id}') && (
          <button
            type="button"
            class="button"
            onClick={() =>
              confirm({
                title: 'Revoke this link?',
                consequences: 'It stops working at once, for everyone who has it.',
                action: 'Revoke link',
                run: () =>
                  send('DELETE', `/v1/shares/${id}`).then(async () => {
                    toast('Link revoked');
                    await shares.reload();
                  }),
              })
            }
          >
            Revoke
          </button>
        ),
    },
  ];
  return (
    <Load from={shares} lines={1}>
      {({ shares: all }) =>
        all.length > 0 && (
          <Section title="Shared links" description="Each opens one page, without an account.">
            <Table
              label="Shared links"
              columns={columns}
              rows={all}
              keyOf={({ id }) => id}
              empty={null}
            />
          </Section>
        )
      }
    </Load>
  );
}

const pageNames: Record<Share['page'], string> = { job: 'Job', pull: 'Pull request' };
