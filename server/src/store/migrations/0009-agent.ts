import type { ColumnDefinitionBuilder, Kysely } from 'kysely';

const must = (column: ColumnDefinitionBuilder) => column.notNull();

/** Agent jobs: the job row is the only truth; its instructions, conversation, edits and events hang on it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const ofJob = (column: ColumnDefinitionBuilder) =>
    column.notNull().references('agent_jobs.id').onDelete('cascade');

  await db.schema
    .createTable('agent_jobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project', 'text', must)
    .addColumn('organization', 'text', must)
    .addColumn('key_id', 'text')
    .addColumn('origin', 'text', must)
    .addColumn('status', 'text', must)
    .addColumn('phase', 'text', must)
    .addColumn('stage', 'text', must)
    .addColumn('model', 'text', must)
    .addColumn('repository', 'text', must)
    .addColumn('base_branch', 'text')
    .addColumn('base_commit', 'text')
    .addColumn('branch', 'text', must)
    .addColumn('source_commit', 'text')
    .addColumn('is_draft', 'integer', must)
    .addColumn('allow_large', 'integer', must)
    .addColumn('paths', 'text')
    .addColumn('title', 'text')
    .addColumn('message', 'text')
    .addColumn('summary', 'text')
    .addColumn('todos', 'text', must)
    .addColumn('pull_number', 'integer')
    .addColumn('pull_url', 'text')
    .addColumn('former_pulls', 'text', must)
    .addColumn('failure', 'text')
    .addColumn('round', 'integer', must)
    .addColumn('steps', 'integer', must)
    .addColumn('input_tokens', 'bigint', must)
    .addColumn('output_tokens', 'bigint', must)
    .addColumn('micro_dollars', 'bigint', must)
    .addColumn('run_ms', 'bigint', must)
    .addColumn('feedbacks', 'integer', must)
    .addColumn('notice', 'text')
    .addColumn('owner', 'text')
    .addColumn('lease_until', 'text')
    .addColumn('attempt', 'integer', must)
    .addColumn('losses', 'integer', must)
    .addColumn('cancel_requested_at', 'text')
    .addColumn('events', 'integer', must)
    .addColumn('created_at', 'text', must)
    .addColumn('queued_at', 'text', must)
    .addColumn('started_at', 'text')
    .addColumn('finished_at', 'text')
    .addColumn('archived_at', 'text')
    .execute();
  await db.schema
    .createIndex('agent_jobs_project')
    .on('agent_jobs')
    .columns(['project', 'created_at', 'id'])
    .execute();
  await db.schema
    .createIndex('agent_jobs_branch')
    .on('agent_jobs')
    .columns(['project', 'branch'])
    .execute();
  await db.schema
    .createIndex('agent_jobs_pull')
    .on('agent_jobs')
    .columns(['project', 'pull_number'])
    .execute();
  await db.schema
    .createIndex('agent_jobs_queue')
    .on('agent_jobs')
    .columns(['phase', 'queued_at'])
    .execute();

  await db.schema
    .createTable('agent_prompts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('job_id', 'text', ofJob)
    .addColumn('seq', 'integer', must)
    .addColumn('role', 'text', must)
    .addColumn('prompt', 'text', must)
    .addColumn('key_id', 'text')
    .addColumn('created_at', 'text', must)
    .addColumn('taken_at', 'text')
    .execute();
  await db.schema
    .createIndex('agent_prompts_job')
    .on('agent_prompts')
    .columns(['job_id', 'seq'])
    .unique()
    .execute();

  await db.schema
    .createTable('agent_messages')
    .addColumn('job_id', 'text', ofJob)
    .addColumn('seq', 'integer', must)
    .addColumn('message', 'text', must)
    .addColumn('is_compacted', 'integer', must)
    .addPrimaryKeyConstraint('agent_messages_pk', ['job_id', 'seq'])
    .execute();

  await db.schema
    .createTable('agent_edits')
    .addColumn('job_id', 'text', ofJob)
    .addColumn('path', 'text', must)
    .addColumn('content', 'text')
    .addColumn('moved_from', 'text')
    .addPrimaryKeyConstraint('agent_edits_pk', ['job_id', 'path'])
    .execute();

  await db.schema
    .createTable('agent_events')
    .addColumn('job_id', 'text', ofJob)
    .addColumn('seq', 'integer', must)
    .addColumn('type', 'text', must)
    .addColumn('data', 'text', must)
    .addColumn('created_at', 'text', must)
    .addPrimaryKeyConstraint('agent_events_pk', ['job_id', 'seq'])
    .execute();

  await db.schema
    .createTable('agent_requests')
    .addColumn('project', 'text', must)
    .addColumn('request_key', 'text', must)
    .addColumn('body_hash', 'text', must)
    .addColumn('job_id', 'text', ofJob)
    .addColumn('created_at', 'text', must)
    .addPrimaryKeyConstraint('agent_requests_pk', ['project', 'request_key'])
    .execute();

  await db.schema
    .createTable('agent_turns')
    .addColumn('project', 'text', (column) => column.primaryKey())
    .addColumn('turn', 'bigint', must)
    .execute();
}
