/** The result of a form. The address contains only its name, so nobody can put a text of their own there. */
import { type Html, markup } from './html.ts';

const notices = {
  merged: [
    'good',
    'Merged. Build and publish your site as usual. The assistant knows the change once the site is indexed again.',
  ],
  'merged-indexing': [
    'good',
    'Merged. The assistant reads the change now. To show it to readers, build and publish your site as usual.',
  ],
  closed: ['', 'Closed without merging.'],
  reopened: ['', 'Reopened.'],
  ready: ['good', 'Marked as ready.'],
  sent: ['good', 'Sent. The job reads it at its next step.'],
  cancelling: ['', 'The job is being canceled.'],
  moved: ['bad', 'Not merged: there are new commits. This page shows them now. Read them first.'],
  conflicts: ['bad', 'Not merged: the base branch changed the same lines.'],
  draft: ['bad', 'Not merged: it is a draft.'],
  'branch-gone': ['bad', 'Not merged: its branch is gone.'],
  'not-open': ['bad', 'This pull request is no longer open.'],
  'not-closed': ['bad', 'Not reopened: its branch is gone, or another pull request uses it.'],
  ended: ['bad', 'The job has already ended.'],
} as const;

export type Notice = keyof typeof notices;

/** The address of a page that tells what an action did. */
export const withNotice = (link: string, notice: Notice): string => `${link}?said=${notice}`;

export function writeNotice(name: unknown): Html | undefined {
  if (typeof name !== 'string' || !Object.hasOwn(notices, name)) return undefined;
  const [kind, words] = notices[name as Notice];
  return markup`<p class="notice ${kind}" role="status">${words}</p>`;
}
