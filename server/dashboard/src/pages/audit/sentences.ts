/** Audit entries in words. */
import type { AuditEntry } from '@docent/shared/audit';

export const topics = [
  { value: '', label: 'Everything' },
  { value: 'key', label: 'API keys' },
  { value: 'person', label: 'People' },
  { value: 'session', label: 'Signing in' },
  { value: 'job', label: 'Jobs' },
  { value: 'automation', label: 'Automations' },
  { value: 'gap', label: 'Gaps' },
  { value: 'feedback', label: 'Feedback' },
  { value: 'reader', label: 'Readers' },
  { value: 'share', label: 'Shared links' },
  { value: 'site', label: 'Sites' },
  { value: 'webhook', label: 'Webhooks' },
  { value: 'host', label: 'Hosts' },
  { value: 'project', label: 'Projects' },
  { value: 'budget', label: 'Budgets' },
];

type Data = Record<string, unknown>;

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const quoted = (value: unknown) => {
  const words = typeof value === 'object' && value !== null ? (value as Data)['beginning'] : value;
  return text(words) === '' ? '' : ` “${text(words).slice(0, 120)}”`;
};
const after = (value: unknown) => quoted(value) && `:${quoted(value)}`;
const key = ({ kind, name, hint }: Data) => `${text(kind)} key${quoted(name)} (…${text(hint)})`;

const sentences: Record<string, (data: Data, person: string) => string> = {
  'key.created': (data) => `Created the ${key(data)}`,
  'key.rotated': (data) => `Rotated the ${key(data)}`,
  'key.revoked': (data) => `Revoked the ${key(data)}`,
  'person.added': (data, person) => `Added ${person} as ${text(data['role'])}`,
  'person.invited': (data) => `Invited somebody as ${text(data['role'])}`,
  'person.invitation_revoked': () => 'Revoked an invitation',
  'person.joined': (data) => `Joined as ${text(data['role'])}`,
  'person.role_changed': (data, person) =>
    `Changed the role of ${person} from ${text(data['was'])} to ${text(data['role'])}`,
  'person.role_kept': (_, person) =>
    `Kept ${person} as an owner, because the organization has no other`,
  'person.removed': (data, person) => `Removed ${person}, who was ${text(data['role'])}`,
  'person.signed_out': (_, person) => `Signed ${person} out everywhere`,
  'person.password_changed': () => 'Changed the password',
  'person.second_factor_added': () => 'Added a second factor',
  'person.second_factor_removed': () => 'Removed the second factor',
  'person.recovery_codes_replaced': () => 'Made new recovery codes',
  'person.linked': (_, person) => `Linked ${person} to an account of the identity provider`,
  'person.link_made': (_, person) => `Made a sign-in link for ${person}`,
  'person.link_used': () => 'Signed in with a link',
  'session.started': () => 'Signed in',
  'session.ended': () => 'Signed out other browsers',
  'job.created': (data) => `Created a job${after(data['prompt'])}`,
  'job.message': (data) => `Wrote to a job${after(data['prompt'])}`,
  'job.tool_call': (data) => `Called the tool${quoted(data['name'])}`,
  'job.started': ({ attempt }) => (attempt === 1 ? 'Started a job' : 'Started a job again'),
  'job.denied': (data) => `Refused to write${quoted(data['path'])}`,
  'job.checks': ({ problems }) =>
    `Checked the change: ${problems === 0 ? 'no problems' : `${String(problems)} problems`}`,
  'job.pull_request': ({ number }) => `Opened pull request #${String(number)}`,
  'job.completed': () => 'Completed a job',
  'job.failed': ({ code }) => `Failed: ${text(code).replaceAll('_', ' ')}`,
  'job.cancel_requested': () => 'Canceled a job',
  'job.archived': () => 'Archived a job',
  'job.deleted': () => 'Deleted an old job',
  'gap.decided': () => 'Sorted questions without an answer',
  'gap.asked_again': () => 'Asked the questions of a gap again',
  'gap.job_created': () => 'Made a job from questions without an answer',
  'reader.forgotten': ({ questions }) =>
    `Deleted all data of a reader: ${String(questions)} ${questions === 1 ? 'question' : 'questions'}`,
  'feedback.changed': () => 'Worked on feedback of a reader',
  'feedback.job_created': () => 'Made a job from feedback',
  'automation.created': ({ name }) => `Created the automation${quoted(name)}`,
  'automation.changed': ({ name }) => `Changed the automation${quoted(name)}`,
  'automation.deleted': ({ name }) => `Deleted the automation${quoted(name)}`,
  'automation.run': ({ name }) => `Ran the automation${quoted(name)}`,
  'share.created': ({ page, pageId }) =>
    page === 'pull' ? `Shared pull request #${text(pageId)}` : 'Shared a job',
  'share.revoked': () => 'Revoked a shared link',
  'pull.merged': ({ number }) => `Merged pull request #${String(number)}`,
  'pull.closed': ({ number }) => `Closed pull request #${String(number)}`,
  'pull.reopened': ({ number }) => `Reopened pull request #${String(number)}`,
  'pull.ready': ({ number }) => `Marked pull request #${String(number)} as ready`,
  'webhook.replayed': () => 'Resent a webhook delivery',
  'host.connected': (data) => `Connected${quoted(data['account'])} at ${text(data['url'])}`,
  'host.disconnected': (data) => `Disconnected${quoted(data['account'])} at ${text(data['url'])}`,
  'host.token_replaced': (data) =>
    `Replaced the token of${quoted(data['account'])} at ${text(data['url'])}`,
  'site.added': (data) => `Added the site ${text(data['domain'])}`,
  'site.changed': (data) => `Changed the site ${text(data['domain'])}`,
  'site.removed': (data) => `Removed the site ${text(data['domain'])} with its data`,
  'project.added': (data) => `Added the repository ${text(data['repository'])}`,
  'project.changed': (data) => `Changed the project of ${text(data['repository'])}`,
  'project.removed': (data) => `Removed the repository ${text(data['repository'])}`,
  'budget.alert': () => 'Reached a part of a budget',
  'site.answer_pinned': (data) => `Pinned the answer${quoted(data['text'])}`,
  'site.answer_unpinned': (data) => `Deleted the pinned answer${quoted(data['text'])}`,
  'site.settings_changed': (data) => `Changed the settings of${quoted(data['domain'])}`,
};

/** What somebody did. A type without a sentence of its own becomes words: "Webhook replayed". */
export function sentenceOf({ type, data, subject }: AuditEntry): string {
  const found = Object.hasOwn(sentences, type) ? sentences[type] : undefined;
  if (found) return found(data as Data, subject ?? 'somebody');
  const words = type.replaceAll(/[._-]+/g, ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
