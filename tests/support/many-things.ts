/** Fills a SQLite file with conversations, jobs, and keys, for tests and measurements of long lists. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface Amounts {
  conversations: number;
  jobs: number;
  keys: number;
}

interface Places {
  dataFolder: string;
  domain: string;
  organization: string;
  projects: readonly string[];
  /** The time of the first one. They are five minutes apart. */
  from: string;
}

/**
 * Adds what is missing up to these amounts. One question each; every fifth without an answer, every tenth
 * rated, a thousand readers, a thousand gaps; every fifth job failed.
 */
export function fillWith(
  { dataFolder, domain, organization, projects, from }: Places,
  amounts: Amounts,
): void {
  const file = new DatabaseSync(join(dataFolder, 'docent.db'));
  const numbers = (amount: number, table: string, of: string) =>
    `with recursive n (i) as (select (select count(*) from ${table} where ${of}) + 1
      union all select i + 1 from n where i < ${amount})`;
  const rest = (amount: number) => `from n where i <= ${amount}`;
  const id = `printf('%026d', i)`;
  const thread = `'thread ' || printf('%06d', i)`;
  const time = `strftime('%Y-%m-%dT%H:%M:%fZ', '${from}', '+' || (i * 5) || ' minutes')`;
  const project = `case ${projects.map((name, at) => `when i % ${projects.length} = ${at} then '${name}'`).join(' ')} end`;
  const { conversations, jobs, keys } = amounts;
  const ofSite = `domain = '${domain}'`;
  // The feedback and the instructions of those that are new, so they come first.
  file.exec(`
    begin;
    ${numbers(jobs, 'agent_jobs', 'true')}
      insert into agent_jobs (id, project, organization, origin, state, stage, repository,
        branch, is_draft, allow_large, todos, former_pulls, failure, round, steps, input_tokens,
        output_tokens, micro_dollars, run_ms, feedbacks, attempt, crashes, events, created_at, queued_at,
        started_at, finished_at)
      select ${id}, ${project}, '${organization}', 'api',
        case when i % 5 = 0 then 'failed' else 'completed' end, 'review',
        'https://github.com/kestrel/docs', 'docent/' || i, 0, 0, '[]', '[]',
        case when i % 5 = 0 then '{"code":"cancelled","message":"Canceled."}' end,
        1, 3, 1000, 100, 2000, 60000, 0, 1, 0, 9, ${time}, ${time}, ${time}, ${time} ${rest(jobs)};
    ${numbers(jobs, 'agent_instructions', 'true')}
      insert into agent_instructions (id, job_id, seq, role, content, created_at)
      select ${id}, ${id}, 1, 'user', 'Fix page ' || i, ${time} ${rest(jobs)};
    ${numbers(keys, 'keys', `id like '0000%'`)}
      insert into keys (id, hash, kind, organization, domain, name, hint, created_at)
      select ${id}, 'hash ' || i, 'assistant', '${organization}', '${domain}', 'Key ' || i, 'abcd', ${time}
      ${rest(keys)};
    ${numbers(conversations, 'threads', ofSite)}
      insert into threads (id, domain, fp, created_at)
      select ${thread}, '${domain}', 'reader ' || (i % 1000), ${time} ${rest(conversations)};
    ${numbers(conversations, 'turns', ofSite)}
      insert into turns (id, thread_id, domain, status, question, context, answer, sources, model,
        created_at, finished_at, owner, outcome, asked_on)
      select ${id}, ${thread}, '${domain}', case when i % 1000 = 0 then 'failed' else 'complete' end,
        'How do I do question ' || i || ' of the site?', '[]',
        '${'The answer is in the guide [1]. '.repeat(40)}',
        '[{"id":"1","url":"https://docs.example/guides/page-' || (i % 500) || '","title":"Guide"}]',
        case when i % 500 = 0 then 'other' else 'main' end, ${time}, ${time}, 'p',
        case when i % 5 = 0 then 'unanswered' else 'answered' end, '/guides/page-' || (i % 300)
      ${rest(conversations)};
    insert into feedback (id, domain, subject, fp, turn_id, rating, reasons, created_at, updated_at)
      select id, domain, id, 'reader', id, case when substr(id, -2) = '20' then 'down' else 'up' end,
        '[]', created_at, created_at from turns
      where ${ofSite} and substr(id, -1) = '0' and id not in (select id from feedback);
    with recursive n (i) as (select 0 union all select i + 1 from n where i < 999)
      insert or ignore into gaps (id, domain, state, created_at)
      select 'gap ' || i, '${domain}', 'open', ${time} from n;
    insert or ignore into gap_questions (turn_id, gap_id, topic)
      select id, 'gap ' || (id / 5 % 1000), 'gap ' || (id / 5 % 1000) from turns
      where ${ofSite} and outcome = 'unanswered';
    insert or ignore into gap_asks (id, domain, turn_id, kind, cause, since, needs, state, outcome,
        answer, is_lost, created_at, finished_at)
      select turn_id, '${domain}', turn_id, case when turn_id % 50 = 0 then 'check' else 'again' end,
        'merge x 1', '${from}', 'run', 'done', case when turn_id % 2 = 0 then 'answered' else 'unanswered' end,
        'The answer is in the guide [1].', case when turn_id % 50 = 0 then 1 else 0 end, '${from}', '${from}'
      from gap_questions;
    update gap_questions set asked_at = '${from}',
      answered_by = case when turn_id % 2 = 0 and turn_id % 50 > 0 then turn_id end,
      lost_by = case when turn_id % 50 = 0 then turn_id end;
    insert or ignore into gap_terms (turn_id, domain, term, weight)
      select turn_id, '${domain}', column1 || substr(turn_id, -2), 0.4 from gap_questions,
        (values ('install'), ('build'), ('deploy'), ('route'), ('type')) where turn_id > ${conversations - 50_000};
    commit;`);
  file.close();
}
