/** What has just been done, or could not be: a word in the address, never a text of others. */
import { type Html, markup } from './html.ts';

const notices = {
  merged: ['good', 'Merged. The base branch has the change.'],
  closed: ['', 'Closed without merging.'],
  reopened: ['', 'Open again.'],
  ready: ['good', 'Marked as ready.'],
  sent: ['good', 'Sent. The job takes it up at its next step.'],
  cancelling: ['', 'The job is being cancelled.'],
  moved: ['bad', 'Not merged: there are new commits. Read them first, they are on this page now.'],
  conflicts: ['bad', 'Not merged: the base branch has changed the same lines meanwhile.'],
  draft: ['bad', 'Not merged: it is a draft.'],
  'branch-gone': ['bad', 'Not merged: its branch is gone.'],
  'not-open': ['bad', 'It is not open any more.'],
  'not-closed': ['bad', 'It cannot be opened again: its branch is gone, or has another one.'],
  ended: ['bad', 'The job had ended already.'],
} as const;

export type Notice = keyof typeof notices;

export function writeNotice(name: unknown): Html | undefined {
  if (typeof name !== 'string' || !Object.hasOwn(notices, name)) return undefined;
  const [kind, words] = notices[name as Notice];
  return markup`<p class="notice ${kind}" role="status">${words}</p>`;
}
