/** Links that let somebody without an account read a page. */
import type { AllJobsReply, NewShareReply, Share } from '@docent/shared/jobs-list';
import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { jobPath, pullPath } from '../../base.ts';
import { IconButton } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { Section } from '../../components/page.tsx';
import { Secret } from '../../components/secret.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { can } from '../../session.ts';

export type Job = AllJobsReply['jobs'][number];

export const titleOf = ({ title, source }: Job) => title ?? source.ref;

interface ShareDialogProps {
  job: Job;
  onClose: () => void;
  onShared: () => Promise<void>;
}

export function ShareDialog({ job, onClose, onShared }: ShareDialogProps) {
  const [url, setUrl] = useState<string>();
  const share = async (data: FormData) => {
    const shared = { project: job.project, page: 'job', id: job.id };
    const days = Number(textOf(data, 'days'));
    setUrl((await send<NewShareReply>('POST', '/v1/shares', { ...shared, days })).url);
    await onShared();
  };
  const title = `Share “${titleOf(job)}”`;
  if (url !== undefined) {
    return (
      <Secret title={title} onClose={onClose} value={url} label="link">
        <p>Anyone with the link can read the job until you revoke it.</p>
      </Secret>
    );
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form submit="Create link" onCancel={onClose} onSubmit={share}>
        <p>
          Anyone with the link can read the job without an account: its instructions, its log, and
          its changes. They can’t change anything.
        </p>
        <Field name="days" label="Works for">
          <select>
            <option value="1">1 day</option>
            <option value="7" selected>
              7 days
            </option>
            <option value="30">30 days</option>
            <option value="90">90 days</option>
          </select>
        </Field>
      </Form>
    </Dialog>
  );
}

interface SharesProps {
  shares: readonly Share[];
  jobs: readonly Job[];
  reload: () => Promise<void>;
}

export function Shares({ shares, jobs, reload }: SharesProps) {
  if (shares.length === 0) return null;
  const nameOf = ({ page, pageId }: Share) => {
    if (page === 'pull') return `Pull request #${pageId}`;
    const job = jobs.find(({ id }) => id === pageId);
    return job ? titleOf(job) : `Job ${pageId}`;
  };
  const columns: Column<Share>[] = [
    { title: 'Shared', cell: nameOf },
    { title: 'Project', cell: ({ project }) => project },
    { title: 'By', cell: ({ createdBy }) => createdBy.name },
    { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      title: 'Actions',
      isActions: true,
      cell: (share) =>
        can('DELETE /v1/shares/{id}') && (
          <IconButton
            icon="delete"
            label={`Revoke the link to ${nameOf(share)}`}
            title="Revoke"
            onClick={() =>
              confirm({
                title: 'Revoke this link?',
                consequences: 'It stops working at once, for everyone who has it.',
                action: 'Revoke link',
                run: async () => {
                  await send('DELETE', `/v1/shares/${share.id}`);
                  toast('The link is revoked');
                  await reload();
                },
              })
            }
          />
        ),
    },
  ];
  return (
    <Section title="Shared links" description="Each opens one page, without an account.">
      <Table
        label="Shared links"
        columns={columns}
        rows={shares}
        keyOf={({ id }) => id}
        hrefOf={({ project, page, pageId }) =>
          page === 'job' ? jobPath(project, pageId) : pullPath(project, pageId)
        }
        empty={null}
      />
    </Section>
  );
}
