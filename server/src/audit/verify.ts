/** Finds what was done to the audit trail behind our back: changed, deleted, inserted, moved, cut off at the end, or written anew. */
import type { Database } from '../store/database.ts';
import type { AuditHead } from './audit.ts';
import { canonical } from './canonical.ts';
import { type AuditEntry, beginning, hashOf, toEntry } from './entry.ts';

export interface AuditFault {
  organization: string;
  /** The entry that it shows at. */
  seq: number;
  message: string;
}

export interface AuditReport {
  faults: AuditFault[];
  /** What was looked at, one for each organization. */
  heads: AuditHead[];
}

/** As written by the command line: `acme:512:9f2c…`. */
export function toHead(text: string): AuditHead | undefined {
  const [, organization = '', seq, hash = ''] =
    /^([a-z0-9][a-z0-9._-]*):(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  return seq === undefined ? undefined : { organization, seq: Number(seq), hash };
}

/** Faults that are told of one chain; after so many the rest says nothing new. */
const mostFaults = 100;

/**
 * Walks along one chain. Each entry must follow the one before by number and by hash, and be what its
 * own hash says. `kept` are heads that their owner has kept elsewhere: nobody who writes the whole chain
 * anew can make it pass through them.
 */
export async function verifyChain(
  organization: string,
  entries: AsyncIterable<AuditEntry>,
  kept: readonly AuditHead[] = [],
): Promise<{ faults: AuditFault[]; end: AuditHead }> {
  const faults: AuditFault[] = [];
  const due = new Map(kept.map(({ seq, hash }) => [seq, hash]));
  let end: AuditHead = { organization, seq: 0, hash: beginning };
  const say = (seq: number, message: string) => {
    if (faults.length < mostFaults) faults.push({ organization, seq, message });
  };
  for await (const entry of entries) {
    const { seq, hash, ...rest } = entry;
    if (seq > end.seq + 1) say(seq, `${missing(end.seq + 1, seq - 1)} before it`);
    else if (seq <= end.seq) say(seq, 'it stands in a place where another one was');
    else if (entry.previous !== end.hash) say(seq, 'it does not follow the one before it');
    if (entry.organization !== organization || hashOf({ ...rest, seq }) !== hash) {
      say(seq, 'it is not what was written');
    }
    const wanted = due.get(seq);
    if (wanted !== undefined && wanted !== hash) {
      say(seq, 'it is not the one that was kept: the trail was written anew');
    }
    due.delete(seq);
    end = { organization, seq, hash };
  }
  for (const seq of due.keys()) {
    if (seq > end.seq) say(seq, `${missing(end.seq + 1, seq)} at the end`);
  }
  return { faults, end };
}

/** Verifies what is in the database, of one organization or of all. */
export async function verifyAudit(
  database: Database,
  { organization, kept = [] }: { organization?: string; kept?: readonly AuditHead[] } = {},
): Promise<AuditReport> {
  // One statement: an entry that is written meanwhile is in both counts or in neither.
  const ends = await database
    .selectFrom('audit')
    .select((audit) => ['organization', audit.fn.max('seq').as('last')])
    .groupBy('organization')
    .unionAll(
      database.selectFrom('audit_heads').select(['organization', (head) => head.val(0).as('last')]),
    )
    .execute();
  const names = new Set([...ends, ...kept].map((each) => each.organization));
  const chosen = [...names].filter((name) => organization === undefined || name === organization);
  const report: AuditReport = { faults: [], heads: [] };
  for (const name of chosen.toSorted()) {
    const own = kept.filter((head) => head.organization === name);
    const { faults, end } = await verifyStored(database, name, own);
    report.faults.push(...faults);
    report.heads.push(end);
  }
  return report;
}

async function verifyStored(
  database: Database,
  organization: string,
  kept: readonly AuditHead[],
): Promise<{ faults: AuditFault[]; end: AuditHead }> {
  const { head, last } = await endOf(database, organization);
  const odd: AuditFault[] = [];
  const entries = readEntries(database, {
    organization,
    upTo: last,
    onOdd: (seq) => {
      odd.push({ organization, seq, message: 'it is not what was written' });
    },
  });
  const { faults, end } = await verifyChain(organization, entries, kept);
  const say = (seq: number, message: string) => faults.push({ organization, seq, message });
  if (!head) say(last, 'the end of the trail is not noted: its head was deleted');
  else if (head.seq > end.seq) say(head.seq, `${missing(end.seq + 1, head.seq)} at the end`);
  else if (head.seq < end.seq) say(end.seq, 'it was added behind the end of the trail');
  else if (head.hash !== end.hash) say(head.seq, 'it is not the one that was written last');
  const known = new Set(faults.map(({ seq }) => seq));
  return { faults: [...faults, ...odd.filter(({ seq }) => !known.has(seq))], end };
}

async function endOf(database: Database, organization: string) {
  const row = await database
    .selectNoFrom((select) => [
      select
        .selectFrom('audit')
        .select((audit) => audit.fn.max('seq').as('last'))
        .where('organization', '=', organization)
        .as('last'),
      select
        .selectFrom('audit_heads')
        .select('seq')
        .where('organization', '=', organization)
        .as('seq'),
      select
        .selectFrom('audit_heads')
        .select('hash')
        .where('organization', '=', organization)
        .as('hash'),
    ])
    .executeTakeFirstOrThrow();
  const { last, seq, hash } = row;
  return {
    last: Number(last ?? 0),
    head: seq === null || hash === null ? undefined : { seq: Number(seq), hash },
  };
}

const pageSize = 1_000;

/** A chain from its beginning, however long. */
export async function* readEntries(
  database: Database,
  {
    organization,
    upTo,
    project,
    onOdd,
  }: {
    organization: string;
    upTo?: number | undefined;
    project?: string | undefined;
    /** Hears of data that is spelled as we do not spell it. */
    onOdd?: (seq: number) => void;
  },
): AsyncGenerator<AuditEntry> {
  for (let after: number | undefined; ;) {
    const from = after;
    const rows = await database
      .selectFrom('audit')
      .selectAll()
      .where('organization', '=', organization)
      .$if(from !== undefined, (audit) => audit.where('seq', '>', from ?? 0))
      .$if(upTo !== undefined, (audit) => audit.where('seq', '<=', upTo ?? 0))
      .$if(project !== undefined, (audit) => audit.where('project', '=', project ?? ''))
      .orderBy('seq')
      .limit(pageSize)
      .execute();
    for (const row of rows) {
      const entry = toEntry(row);
      if (canonical(entry.data) !== row.data) onOdd?.(row.seq);
      yield entry;
    }
    after = rows.at(-1)?.seq;
    if (rows.length < pageSize) return;
  }
}

function missing(first: number, last: number): string {
  return first === last ? `entry ${first} is missing` : `entries ${first} to ${last} are missing`;
}
