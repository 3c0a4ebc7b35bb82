import { expect, test } from 'vitest';
import { sentenceOf } from './sentences.ts';

const entry = {
  organization: 'acme',
  seq: 1,
  time: '2026-11-23T10:00:00.000Z',
  project: null,
  job: null,
  actor: { kind: 'person', id: 'user_1', name: 'Ada' },
  subject: 'Grace',
};

test.each([
  [
    'key.revoked',
    { kind: 'admin', name: 'CI', hint: 'abcd' },
    'Revoked the admin key “CI” (…abcd)',
  ],
  [
    'key.created',
    { kind: 'assistant', name: '', hint: 'abcd' },
    'Created the assistant key (…abcd)',
  ],
  [
    'person.role_changed',
    { was: 'viewer', role: 'admin' },
    'Changed the role of Grace from viewer to admin',
  ],
  ['job.created', { prompt: 'Document --dry-run' }, 'Created a job: “Document --dry-run”'],
  // A long text is stored as its beginning, and a reader's as a digest alone.
  ['job.created', { prompt: { beginning: 'Document' } }, 'Created a job: “Document”'],
  ['job.created', { prompt: { sha256: 'x' } }, 'Created a job'],
  ['job.checks', { problems: 2 }, 'Checked the change: 2 problems'],
  ['share.created', { page: 'pull', pageId: '7' }, 'Shared pull request #7'],
  ['kite.flown_high', {}, 'Kite flown high'],
  ['reader.forgotten', { questions: 1 }, 'Deleted all data of a reader: 1 question'],
  ['constructor', {}, 'Constructor'],
])('%s %j', (type, data, sentence) => {
  expect(sentenceOf({ ...entry, type, data })).toBe(sentence);
});
