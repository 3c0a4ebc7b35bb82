/** What GitHub and the way to it do wrong: before the effect, after it, and instead of it. */
import { expect, onTestFinished, test } from 'vitest';
import { primaryLimit, secondaryLimit } from '../../../../../tests/support/github-server.ts';
import { contractFiles, modified, refusal } from '../../../../testing/forge-fixture.ts';
import { publish, type PublishRequest } from '../../publish/publish.ts';
import { createGitHubForge, openGitHub } from '../../../../testing/github-forge.ts';

const never = new AbortController().signal;

async function start(options: Parameters<typeof openGitHub>[1] = {}) {
  const setup = await openGitHub(contractFiles, options);
  onTestFinished(() => setup[Symbol.asyncDispose]());
  const request: PublishRequest = {
    branch: 'docent/fix',
    baseBranch: 'main',
    source: (await setup.docs.tip()) ?? '',
    changes: [modified('docs/install.md', '# Install\n', '# Install it\n')],
    key: 'job1/1',
    commitMessage: 'Fix',
    title: 'Fix',
    body: 'Why.',
    isDraft: false,
  };
  const run = (more: Partial<PublishRequest> = {}) =>
    publish(setup.reopen(), { ...request, ...more }, never);
  /** One branch, one commit of ours on it, one pull request. */
  const isOnce = async () => {
    expect(await setup.docs.branches()).toEqual(['docent/fix', 'main']);
    expect((await setup.docs.log('docent/fix')).length).toBe(2);
    expect(setup.hosted.pulls.length).toBe(1);
  };
  return { ...setup, run, isOnce };
}

const writes = ['POST /git/trees', 'POST /git/commits', 'POST /git/refs', 'POST /pulls'];
const ways = [
  ['502', { status: 502 }],
  ['500', { status: 500 }],
  ['no answer', 'cut'],
] as const;
const cases = writes.flatMap((at) => ways.map(([name, answer]) => ({ at, name, answer })));

test.each(cases)('$at answered with $name although it was done: once', async ({ at, answer }) => {
  const { server, run, isOnce } = await start();
  const fault = server.fail({ at, when: 'after', answer });
  expect((await run()).pull?.number).toBe(1);
  expect(fault.happened).toBe(1);
  await isOnce();
});

test.each(cases)(
  '$at answered with $name for ever, then another run: once',
  async ({ at, answer }) => {
    const { server, run, isOnce } = await start();
    const fault = server.fail({ at, when: 'after', answer, times: 4 });
    if (at === 'POST /git/refs') {
      // The branch says that it was done.
      expect((await run()).pull?.number).toBe(1);
    } else {
      const error = await refusal(run());
      // Where it was done, the second try says that it is there, which counts as done.
      if (at !== 'POST /pulls') expect(fault.happened).toBe(4);
      expect(error.code).toBe('forge_unavailable');
    }
    await run();
    await isOnce();
  },
);

test('a request that hangs is given up, made again, and done once', async () => {
  const { server, run, isOnce } = await start({
    deps: { timeouts: { timeoutMs: 700, retryUnitMs: 1 } },
  });
  const fault = server.fail({
    at: 'POST /pulls',
    when: 'after',
    gate: new Promise(() => undefined),
  });
  await run();
  expect(fault.happened).toBe(1);
  await isOnce();
});

test('a short limit is waited for; a long one ends the job with the time that GitHub says', async () => {
  const { server, run, isOnce } = await start();
  const short = server.fail({ at: 'POST /git/refs', when: 'before', answer: secondaryLimit(2) });
  await run();
  expect(short.happened).toBe(1);
  await isOnce();
  const long = await start();
  long.server.fail({ at: 'POST /git/refs', when: 'before', answer: secondaryLimit(600), times: 9 });
  const error = await refusal(long.run());
  expect(error).toMatchObject({ code: 'forge_rate_limited' });
  expect(error.message).toContain('600 seconds');
  expect(long.server.count('POST', '/git/refs')).toBe(1);
  const used = await start();
  const resetsAt = Date.now() + 3_600_000;
  used.server.fail({ at: 'GET /git/ref/', when: 'before', answer: primaryLimit(resetsAt) });
  const primary = await refusal(used.forge.tip('main'));
  expect(primary.code).toBe('forge_rate_limited');
  expect(primary.message).toContain(new Date(Math.floor(resetsAt / 1000) * 1000).toISOString());
});

test('who cancels while GitHub is waited for is free at once', async () => {
  const { server, forge } = await start({ deps: { timeouts: { retryUnitMs: 1_000 } } });
  server.fail({ at: 'GET /git/ref/', when: 'before', answer: secondaryLimit(50), times: 9 });
  const stop = new AbortController();
  const waiting = forge.tip('main', stop.signal);
  await expect.poll(() => server.count('GET', '/git/ref/heads/main')).toBe(1);
  stop.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
});

test('Octokit keeps the pace: more writes than a minute allows wait, reads do not', async () => {
  const { server, forge } = await start();
  for (let checks = 0; checks < 20; checks += 1) await forge.assertWritable();
  const stop = new AbortController();
  const waiting = forge.assertWritable(stop.signal);
  expect(await forge.tip('main')).toBeDefined();
  stop.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
  expect([server.count('POST', '/git/blobs'), server.count('PATCH', '/pulls/0')]).toEqual([20, 20]);
  expect(server.requests[0]?.headers['user-agent']).toMatch(/^docent octokit/);
});

test('what GitHub refuses is said in words for the job’s owner', async () => {
  const setup = await start();
  const { server, hosted, run, forge } = setup;
  const failing = async (change: () => unknown, undo: () => unknown) => {
    await change();
    const { code, message } = await refusal(run());
    await undo();
    return [code, message];
  };
  const token = 'the token in DOCS_TOKEN';
  const { repository } = forge;
  const wide = { permissions: { contents: 'write', pull_requests: 'write' } } as const;
  const bearer = setup.deps.secret('DOCS_TOKEN') ?? '';

  expect(
    await failing(
      () => server.addToken(bearer, { permissions: { contents: 'read', pull_requests: 'write' } }),
      () => server.addToken(bearer, wide),
    ),
  ).toEqual(['forge_forbidden', `GitHub does not let ${token} do this in ${repository}.`]);
  expect(
    await failing(
      () => server.addToken(bearer, { ...wide, repositories: ['acme/other'] }),
      () => server.addToken(bearer, wide),
    ),
  ).toEqual(['repository_not_found', `${repository} does not exist, or ${token} can’t see it.`]);
  expect(
    await failing(
      () => server.revokeToken(bearer),
      () => server.addToken(bearer, wide),
    ),
  ).toEqual([
    'forge_not_configured',
    `GitHub rejects ${token}: it is wrong, expired, or was revoked.`,
  ]);
  expect(
    await failing(
      () => (hosted.isArchived = true),
      () => (hosted.isArchived = false),
    ),
  ).toEqual(['forge_rejected', `${repository} is archived, so nobody can change it.`]);
  expect(
    await failing(
      () => (hosted.restricted = ['docent/']),
      () => (hosted.restricted = []),
    ),
  ).toEqual([
    'branch_protected',
    `The rules of ${repository} do not let the branch “docent/fix” be created or pushed to.`,
  ]);
  // Nothing of all this has left anything behind.
  expect(await setup.docs.branches()).toEqual(['main']);
  await run();
  await setup.isOnce();
});

test('reading is refused in the same words', async () => {
  const { server, deps, docs } = await start();
  const commit = (await docs.tip()) ?? '';
  const bearer = deps.secret('DOCS_TOKEN') ?? '';
  server.revokeToken(bearer);
  expect((await refusal(createGitHubForge(deps).openTree(commit))).code).toBe(
    'forge_not_configured',
  );
  server.addToken(bearer, { repositories: ['acme/other'] });
  expect((await refusal(createGitHubForge(deps).openTree(commit))).code).toBe(
    'repository_not_found',
  );
  server.addToken(bearer);
  server.fail({ at: 'git', when: 'before', answer: { status: 503 } });
  expect((await refusal(createGitHubForge(deps).openTree(commit))).code).toBe('forge_unavailable');
  server.fail({ at: 'git', when: 'before', answer: 'cut' });
  expect((await refusal(createGitHubForge(deps).openTree(commit))).code).toBe('forge_unavailable');
  const gone = await refusal(createGitHubForge(deps).openTree('1'.repeat(40)));
  expect(gone.code).toBe('forge_rejected');
  expect((await createGitHubForge(deps).openTree(commit)).entries.size).toBeGreaterThan(3);
});

test('an empty repository, one without drafts, one that was renamed', async () => {
  const { server, deps, hosted, run } = await start();
  await server.addRepository('acme/empty', {});
  const empty = createGitHubForge({ ...deps, repository: server.repositoryUrl('acme/empty') });
  const error = await refusal(empty.tip('main'));
  expect(error.code).toBe('base_branch_missing');
  expect(error.message).toContain('no commits yet');

  hosted.hasDrafts = false;
  const { pull, notes } = await run({ isDraft: true });
  expect(pull?.isDraft).toBe(false);
  expect(notes.join()).toContain('doesn’t support draft pull requests');

  const moved = await server.addRepository('acme/handbook', { 'docs/a.md': 'a' });
  hosted.renamedTo = 'acme/handbook';
  const tip = (await moved.docs.tip()) ?? '';
  const forge = createGitHubForge(deps);
  expect(await forge.tip('main')).toBe(tip);
  expect([...(await forge.openTree(tip)).entries.keys()]).toEqual(['docs/a.md']);
});

test('a host that leads elsewhere gets no token there', async () => {
  const { server, forge, docs } = await start();
  const other = await start();
  const to = (path: string) => ({ location: `${other.server.url}${path}` });
  server.fail({
    at: 'GET /git/ref/',
    when: 'before',
    answer: { status: 302, headers: to('/x') },
    times: 9,
  });
  expect((await refusal(forge.tip('main'))).code).toBe('forge_unavailable');
  const path = '/acme/docs.git/info/refs?service=git-upload-pack';
  server.fail({ at: 'git', when: 'before', answer: { status: 302, headers: to(path) } });
  expect((await refusal(forge.openTree((await docs.tip()) ?? ''))).code).toBe('forge_unavailable');
  expect(other.server.requests).toEqual([]);
});
