/** What Gitea, Forgejo, and GitLab send, whom they let write, and answers that are written once. */
import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { conversationOf } from '../../../../tests/support/forges/conversation.ts';
import { openWire, type WireSetup } from '../../../testing/wire-forge.ts';
import { isGenuine, readEvent } from './read-event.ts';

const secret = 'a-secret-of-the-hook';
const now = new Date('2026-11-24T12:00:00Z');
const dana = { id: 12, login: 'dana' };
const in1 = { repository: { full_name: 'acme/docs' } };
const comment = {
  action: 'created',
  ...in1,
  issue: { number: 3, pull_request: { merged: false } },
  comment: { id: 77, body: '@docent Hi.', user: { ...dana, username: 'dana' } },
  is_pull: true,
};

/** services/webhook/shared/payloader.go of Forgejo; Gitea before 1.20 sends only its own header. */
function asGitea(payload: unknown, event: string, isOld = false) {
  const body = Buffer.from(JSON.stringify(payload));
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return {
    body,
    headers: {
      'x-gitea-event': event,
      'x-gitea-delivery': 'd1',
      'x-gitea-signature': signature,
      ...(!isOld && { 'x-github-event': event, 'x-hub-signature-256': `sha256=${signature}` }),
    },
  };
}

const asGitLab = (payload: unknown, event: string) => ({
  body: Buffer.from(JSON.stringify(payload)),
  headers: { 'x-gitlab-event': event, 'x-gitlab-token': secret, 'x-gitlab-event-uuid': 'u1' },
});

const note = (more: object = {}, by: object = { id: 12, username: 'dana' }) => ({
  object_kind: 'note',
  user: by,
  project: { path_with_namespace: 'acme/team/docs' },
  object_attributes: {
    id: 5,
    note: '@docent Why?',
    noteable_type: 'MergeRequest',
    discussion_id: 'abc',
    system: false,
    action: 'create',
    position: { new_path: 'docs/a.md', new_line: 4 },
    ...more,
  },
  merge_request: { iid: 3 },
});

describe('who sent it', () => {
  test.each([
    ['Gitea and Forgejo', asGitea(comment, 'issue_comment')],
    ['an old Gitea', asGitea(comment, 'issue_comment', true)],
    ['GitLab with its secret', asGitLab(note(), 'Note Hook')],
  ])('%s', (_name, delivery) => {
    expect(isGenuine(delivery, secret, now)).toBe(true);
    expect(isGenuine(delivery, `${secret}x`, now)).toBe(false);
    const nobody = { body: delivery.body, headers: {} };
    expect(isGenuine(nobody, secret, now)).toBe(false);
  });

  test('GitLab with its signing token, not too old', () => {
    const key = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
    const { body } = asGitLab(note(), 'Note Hook');
    const headers = {
      'x-gitlab-event': 'Note Hook',
      'webhook-id': 'w1',
      'webhook-timestamp': String(now.getTime() / 1000),
      'webhook-signature': new Webhook(key).sign('w1', now, body.toString()),
    };
    expect(isGenuine({ body, headers }, key, now)).toBe(true);
    const later = new Date(now.getTime() + 6 * 60_000);
    expect(isGenuine({ body, headers }, key, later)).toBe(false);
    expect(isGenuine({ body, headers: { ...headers, 'webhook-id': 'w2' } }, key, now)).toBe(false);
  });
});

describe('what happened', () => {
  const gitea = (payload: unknown, event: string) => readEvent(asGitea(payload, event)).event;
  const gitLab = (payload: unknown, event: string) => readEvent(asGitLab(payload, event)).event;

  test('a comment', () => {
    const author = { id: 12, login: 'dana' };
    expect(gitea(comment, 'issue_comment')).toMatchObject({
      key: 'comment 77',
      kind: 'comment',
      pull: 3,
      author,
      text: '@docent Hi.',
    });
    expect(gitLab(note(), 'Note Hook')).toMatchObject({
      key: 'comment 5',
      pull: 3,
      author,
      at: { path: 'docs/a.md', line: 4 },
      thread: 'abc',
    });
  });

  test('a review of Gitea, which has no ID', () => {
    const review = {
      action: 'reviewed',
      ...in1,
      number: 3,
      pull_request: { number: 3 },
      sender: dana,
      review: { type: 'pull_request_review_comment', content: '@docent Look.' },
    };
    const read = gitea(review, 'pull_request_comment');
    expect(read).toMatchObject({ kind: 'review', pull: 3, author: dana, text: '@docent Look.' });
    // The same delivery again is the same review.
    expect(gitea(review, 'pull_request_comment')).toEqual(read);
  });

  test('failed checks', () => {
    const status = { ...in1, sha: 'c1', state: 'failure', context: 'ci', sender: dana };
    const run = { action: 'failure', ...in1, run: { commit_sha: 'c1' } };
    const workflow = {
      action: 'completed',
      ...in1,
      workflow_run: { head_sha: 'c1', conclusion: 'failure' },
    };
    const pipeline = {
      project: { path_with_namespace: 'acme/team/docs' },
      object_attributes: { id: 9, sha: 'c1', status: 'failed' },
    };
    const checks = { key: 'checks c1', kind: 'checks', commit: 'c1' };
    expect(gitea(status, 'status')).toEqual(checks);
    expect(gitea(run, 'action_run_failure')).toEqual(checks);
    expect(gitea(workflow, 'workflow_run')).toEqual(checks);
    expect(gitLab(pipeline, 'Pipeline Hook')).toEqual(checks);
    expect(gitea({ ...status, state: 'success' }, 'status')).toBe('Nothing failed.');
  });

  test('what programs, systems, and editors write is nothing to do', () => {
    const bot = { id: 1, username: 'group_12_bot_ab' };
    expect(gitLab(note({}, bot), 'Note Hook')).toBe('A program wrote it.');
    expect(gitLab(note({ system: true }), 'Note Hook')).toMatch(/new comments/);
    expect(gitLab(note({ action: 'update' }), 'Note Hook')).toMatch(/new comments/);
    expect(gitea({ ...comment, action: 'edited' }, 'issue_comment')).toMatch(/nothing to do/);
    const onIssue = { ...comment, issue: { number: 3 }, is_pull: false };
    expect(gitea(onIssue, 'issue_comment')).toBe('It’s about an issue.');
  });
});

describe.each(['gitea', 'gitlab'] as const)('at %s', (kind) => {
  let setup: WireSetup;
  afterEach(() => setup[Symbol.asyncDispose]());

  async function open() {
    setup = await openWire(kind, { 'docs/a.md': '# A\n' });
    const { talk } = setup.forge;
    if (!talk) throw new Error('This host has no conversations');
    return { talk, conversation: conversationOf(setup.hosted) };
  }

  test('those who may write are told from those who may read, and from strangers', async () => {
    const { talk, conversation } = await open();
    const isGitea = kind === 'gitea';
    conversation.rights.set(isGitea ? 'dana' : '12', isGitea ? 'write' : 30);
    conversation.rights.set(isGitea ? 'mallory' : '13', isGitea ? 'read' : 20);
    const may = [dana, { id: 13, login: 'mallory' }, { id: 14, login: 'nobody' }].map((user) =>
      talk.mayWrite(user),
    );
    expect(await Promise.all(may)).toEqual([true, false, false]);
  });

  test('the author of a commit is asked for a review, and nobody who was asked before is forgotten', async () => {
    const { talk, conversation } = await open();
    const isGitea = kind === 'gitea';
    conversation.authors.set('c1', { ...dana, email: 'dana@acme.test' });
    conversation.rights.set('dana', 'read');
    const [owner, name] = [
      setup.hosted.path.slice(0, setup.hosted.path.lastIndexOf('/')),
      setup.hosted.path.split('/').at(-1) ?? '',
    ];
    const at = { owner, name };
    expect(await talk.authorOf({ ...at, commit: 'c1' })).toMatchObject(dana);
    expect(await talk.authorOf({ ...at, commit: 'c2' })).toBeUndefined();
    if (!isGitea) conversation.reviewers.push(4);
    await talk.askForReview(3, 'dana');
    expect(conversation.reviewers).toEqual(isGitea ? ['dana'] : [4, 12]);
    await expect(talk.askForReview(3, 'eve')).rejects.toThrow('knows nobody');
  });

  test('an answer is written once, also when the reply to it is lost', async () => {
    const { talk, conversation } = await open();
    const answer = { body: 'Done.', mark: '<!-- docent:1 -->', since: now.toISOString() };
    const path = kind === 'gitea' ? '/issues/3/comments' : '/merge_requests/3/notes';
    setup.server.fail({ at: `POST ${path}`, when: 'after', answer: 'cut' });
    await expect(talk.answer({ pull: 3 }, answer)).rejects.toThrow();
    await talk.answer({ pull: 3 }, answer);
    expect(conversation.said.map(({ body }) => body)).toEqual(['Done.\n\n<!-- docent:1 -->']);
  });

  test('failed checks come with what they printed', async () => {
    const { talk, conversation } = await open();
    conversation.failed.push({ id: 8, commit: 'c1', name: 'links', log: 'broken link' });
    expect(await talk.failedChecks('c1')).toEqual([
      { name: 'links', log: expect.stringContaining('broken link') },
    ]);
    expect(await talk.failedChecks('c2')).toEqual([]);
    if (kind === 'gitea') return; // It has no log.
    // Of one without end, the end is kept.
    const log = `${'nothing happened\n'.repeat(1_200_000)}broken link`;
    conversation.failed.push({ id: 9, commit: 'c3', name: 'links', log });
    const [check] = await talk.failedChecks('c3');
    expect(check?.log.length).toBeLessThanOrEqual(16 * 1024 * 1024);
    expect(check?.log).toMatch(/broken link$/);
  });

  test('an answer goes into its thread', async () => {
    const { talk, conversation } = await open();
    conversation.said.push({ body: 'Why?', discussion: 'abc' });
    const answer = { body: 'So.', mark: '<!-- docent:2 -->', since: now.toISOString() };
    await talk.answer({ pull: 3, id: 'abc' }, answer);
    const discussion = kind === 'gitlab' ? { discussion: 'abc' } : {};
    expect(conversation.said.at(-1)).toEqual({ body: 'So.\n\n<!-- docent:2 -->', ...discussion });
  });
});
