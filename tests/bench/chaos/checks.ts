/** What must hold of every job, whatever happened; gives back a sentence for each breach. */
import type { AgentJob, AgentSession } from '@docent/shared/agent';
import type { Host } from './hosts.ts';
import { pageOf, tasksIn } from './model.ts';
import type { Rows } from './rows.ts';

export interface Sent {
  id: string;
  host: Host;
  /** Those that the service has accepted. */
  tasks: string[];
}

interface JobRow {
  id: string;
  state: string;
  owner: string | null;
  events: number;
  branch: string;
  pull_number: number | null;
  former_pulls: string;
  failure: string | null;
}

export async function checkJob(sent: Sent, rows: Rows, shown: AgentJob, session: AgentSession) {
  const wrong: string[] = [];
  const must = (isTrue: boolean, what: string) =>
    void (isTrue || wrong.push(`${sent.id}: ${what}`));
  const of = (column: string) => `where ${column} = '${sent.id}'`;
  const [row] = await rows<JobRow>(`select * from agent_jobs ${of('id')}`);
  if (!row) return [`${sent.id}: it has no row`];
  const events = await rows<{ seq: number; type: string; data: string }>(
    `select seq, type, data from agent_events ${of('job_id')} order by seq`,
  );
  const instructions = await rows<{ content: string; taken_at: string | null }>(
    `select content, taken_at from agent_instructions ${of('job_id')} order by seq`,
  );
  const messages = await rows<{ message: string }>(
    `select message from agent_messages ${of('job_id')} order by seq`,
  );

  must(['completed', 'failed'].includes(row.state), `it is ${row.state}`);
  must(row.owner === null, `it is ended, and ${row.owner} has it`);
  must(
    events.every(({ seq }, index) => seq === index + 1),
    'its events have gaps',
  );
  must(events.length === row.events, `${events.length} events of ${row.events}`);
  const ends = events.filter(({ type }) => ['queued', 'completed', 'failed'].includes(type));
  must(ends.at(-1)?.type === row.state, `${row.state}, but its log says ${ends.at(-1)?.type}`);

  const same = (found: string[], what: string) =>
    must(
      found.toSorted().join() === sent.tasks.toSorted().join(),
      `${what}: ${found.join()} for ${sent.tasks.join()}`,
    );
  same(
    instructions.flatMap(({ content }) => tasksIn(content)),
    'instructions on record',
  );
  same(
    events.filter(({ type }) => type === 'message').flatMap(({ data }) => tasksIn(data)),
    'messages in the log',
  );
  if (row.state === 'completed') {
    must(
      instructions.every(({ taken_at: at }) => at !== null),
      'an instruction was not taken up',
    );
    const told = messages.filter(({ message }) => message.startsWith('{"role":"user"'));
    same(
      told.flatMap(({ message }) => tasksIn(message)),
      'instructions in the conversation',
    );
  }
  const failure = JSON.parse(row.failure ?? 'null') as { code: string; message: string } | null;
  must((failure === null) === (row.state === 'completed'), `failure ${row.failure}`);
  must(failure?.code !== 'internal', `internal: ${failure?.message}`);

  must(shown.status === row.state, `version 2 says ${shown.status}`);
  must(session.haulted, 'version 1 says that it goes on');
  // Without a public address each process names its own.
  const path = (link: string | null) => (link ? new URL(link).pathname : '');
  must(path(session.pullRequestLink) === path(shown.prLink), 'the versions differ in the link');
  const reason = row.state === 'completed' ? 'completed' : undefined;
  must(!reason || session.haultReason === reason, `version 1 says ${session.haultReason}`);

  await checkHost(sent, row, must);
  return wrong;
}

async function checkHost(
  { id, host, tasks }: Sent,
  row: JobRow,
  must: (isTrue: boolean, what: string) => void,
): Promise<void> {
  const { docs } = host;
  const former = JSON.parse(row.former_pulls) as { number: number; branch: string }[];
  const known = [...former.map(({ number }) => number), row.pull_number].filter((n) => n !== null);
  const own = (branch: string) =>
    [row.branch, ...former.map((each) => each.branch)].includes(branch);
  const pulls = (await host.pulls()).filter(({ branch }) => own(branch));
  const open = pulls.filter(({ state }) => state === 'open');
  must(open.length <= 1, `open pull requests: ${open.map(({ number }) => number).join()}`);
  if (row.state === 'completed') {
    for (const { number, state } of pulls) {
      must(known.includes(number), `pull request ${number} (${state}) is not the job’s`);
    }
  }
  const branches = (await docs.branches()).filter(own);
  must(
    branches.length <= 1 + pulls.filter(({ state }) => state !== 'open').length,
    `branches: ${branches.join()}`,
  );
  const places = ['main', ...branches];
  const trailers = new Map<string, Set<string>>();
  const isOpen = (branch: string) => open.some((each) => each.branch === branch);
  // What was pushed as somebody merged or closed it stays behind, and is proposed anew elsewhere.
  for (const place of ['main', ...branches.filter(isOpen)]) {
    for (const { id: commit, message } of await docs.log(place)) {
      const [, key] = new RegExp(`^Docent-Job: (${id}/\\d+)$`, 'm').exec(message) ?? [];
      if (key !== undefined) trailers.set(key, (trailers.get(key) ?? new Set()).add(commit));
    }
  }
  for (const [key, commits] of trailers) {
    must(commits.size === 1, `${key} was committed ${commits.size} times`);
  }
  if (row.state !== 'completed') return;
  const found = new Set((await Promise.all(places.map((place) => docs.files(place)))).flat());
  for (const task of tasks) must(found.has(pageOf(task)), `${task} is in no branch`);
  // Of a merged pull request everything is in the base branch.
  for (const { number, branch, state } of pulls) {
    if (state !== 'merged' || !branches.includes(branch)) continue;
    const leftOf = (text: string) =>
      [...text.matchAll(new RegExp(`^Docent-Job: (${id}/\\d+)$`, 'gm'))].map(([, key = '']) => key);
    const left = await docs.git('log', '--format=%B', `main..refs/heads/${branch}`);
    must(
      isOpen(branch) || leftOf(left).every((key) => trailers.has(key)),
      `a commit stands behind the merged pull request ${number}`,
    );
  }
}

/** Commits of people that no branch leads to any more. */
export async function lostCommits(host: Host, commits: readonly string[]): Promise<string[]> {
  const lost: string[] = [];
  for (const commit of commits) {
    const holders = await host.docs.git('for-each-ref', '--contains', commit, 'refs/heads');
    if (holders === '') lost.push(`${host.project}: the commit ${commit} of a person is lost`);
  }
  return lost;
}
