import { failureTable } from '@docent/shared/agent-failures';
import { expect, test } from 'vitest';
import { JobError } from '../../../platform/errors.ts';
import { explainRefusal, unreachable } from '../remote/failures.ts';
import { gitHubWords, refusedByGraph } from './failures.ts';

const context = {
  repository: 'https://github.com/acme/docs',
  holder: 'the token in DOCS_TOKEN',
  branch: 'docent/fix',
};

/** Status, GitHub's words, headers; what becomes of it. */
const rows: [number, string, Record<string, string>, string, RegExp][] = [
  [401, 'Bad credentials', {}, 'forge_not_configured', /rejects the token in DOCS_TOKEN/],
  [403, 'Resource not accessible by personal access token', {}, 'forge_forbidden', /does not let/],
  [
    403,
    'Resource not accessible by integration',
    { 'x-accepted-github-permissions': 'contents=write,pull_requests=write' },
    'forge_forbidden',
    /write access to contents and write access to pull requests/,
  ],
  [403, 'Repository was archived so is read-only.', {}, 'forge_rejected', /archived/],
  [403, 'This installation has been suspended', {}, 'forge_not_configured', /suspended/],
  [403, 'Resource protected by organization SAML enforcement.', {}, 'forge_forbidden', /single/],
  [
    403,
    'the `acme` organization has an IP allow list enabled',
    {},
    'forge_forbidden',
    /allow list/,
  ],
  [403, 'Repository access blocked', {}, 'forge_forbidden', /blocked/],
  [451, 'Repository access blocked', {}, 'forge_forbidden', /blocked/],
  [
    403,
    'You have exceeded a secondary rate limit.',
    { 'retry-after': '90' },
    'forge_rate_limited',
    /90 seconds/,
  ],
  [
    403,
    'API rate limit exceeded for user ID 1.',
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1790000000' },
    'forge_rate_limited',
    /2026-09-21T/,
  ],
  [429, 'Too many requests', {}, 'forge_rate_limited', /limits/],
  [404, 'Not Found', {}, 'repository_not_found', /does not exist, or the token in DOCS_TOKEN/],
  [409, 'Git Repository is empty.', {}, 'base_branch_missing', /no commits yet/],
  [409, 'Conflict', {}, 'forge_rejected', /state/],
  [422, 'Validation Failed: base invalid', {}, 'base_branch_missing', /base branch/],
  [
    422,
    'Repository rule violations found\n\nCannot create ref due to creations being restricted.',
    {},
    'branch_protected',
    /“docent\/fix”/,
  ],
  [422, 'Changes must be made through a pull request.', {}, 'branch_protected', /rules/],
  [403, 'Cannot update this protected ref.', {}, 'branch_protected', /rules/],
  [
    422,
    'Repository rule violations found\n\nSecret detected in content',
    {},
    'secret_found',
    /push protection/,
  ],
  [
    403,
    'refusing to allow a Personal Access Token to create or update workflow `.github/workflows/x.yml` without `workflow` scope',
    {},
    'path_protected',
    /workflows/,
  ],
  [
    422,
    'The permissions requested are not granted to this installation.',
    {},
    'forge_forbidden',
    /accept/,
  ],
  [
    422,
    'There is at least one repository that does not exist or is not accessible to the parent installation.',
    {},
    'forge_not_configured',
    /add it to the installation/,
  ],
  [422, 'Something new', {}, 'forge_rejected', /refused the change: Something new$/],
  [418, '', {}, 'forge_rejected', /418/],
  [500, 'x', {}, 'forge_unavailable', /responded with 500/],
  [503, 'x', {}, 'forge_unavailable', /responded with 503/],
];

test.each(rows)('%i %s', (status, message, headers, code, words) => {
  const error = explainRefusal({ status, message, headers }, context, gitHubWords);
  expect(error).toBeInstanceOf(JobError);
  expect(error.code).toBe(code);
  expect(error.message).toMatch(words);
  expect(error.message).toMatch(/^[A-Zh].*[^\s]$/);
  // Each says what to do, and access is what version 1 calls `github_missconfigured`.
  const kind = failureTable[error.code];
  expect(kind.remedy).not.toBe('');
  const isAccess = ['forge_not_configured', 'forge_forbidden', 'repository_not_found'].includes(
    code,
  );
  expect('isAccess' in kind).toBe(isAccess);
});

test('what GitHub says is quoted without anything that may be a secret, and on one line', () => {
  const secret = 'ghp_0123456789012345678901234567890123456789';
  const message = `Bad thing\nat https://user:${secret}@github.com/x with ${secret} ${'word '.repeat(99)}`;
  const { message: said } = explainRefusal(
    { status: 422, message, headers: {} },
    context,
    gitHubWords,
  );
  expect(said).not.toContain(secret);
  expect(said).not.toContain('\n');
  expect(said.length).toBeLessThan(260);
});

test('connections that fail, answers that come too late', () => {
  const refused = Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error('connect 10.0.0.1'), { code: 'ECONNREFUSED' }),
  });
  const failed = unreachable(context, refused);
  expect(failed).toMatchObject({ code: 'forge_unavailable' });
  expect(failed.message).toBe(
    'https://github.com/acme/docs could not be reached: the connection failed (ECONNREFUSED).',
  );
  const late = unreachable(context, new DOMException('x', 'TimeoutError'));
  expect(late.message).toContain('did not answer in time');
});

test.each([
  ['FORBIDDEN', 'Resource not accessible by integration', 'forge_forbidden'],
  ['NOT_FOUND', 'Could not resolve to a node', 'repository_not_found'],
  ['RATE_LIMITED', 'x', 'forge_rate_limited'],
  ['UNPROCESSABLE', 'Something new', 'forge_rejected'],
])('GraphQL says %s', (type, message, code) => {
  expect(refusedByGraph([{ type, message }], context).code).toBe(code);
});
