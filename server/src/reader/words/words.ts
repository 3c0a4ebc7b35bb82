/**
 * What the owner says beside the documentation: instructions, skills, and answers word for word. Those of the
 * repository come with each index run; answers are edited in the dashboard too. The repository wins.
 */
import {
  maxPinned,
  type PinnedAnswer,
  type PinnedAnswerRequest,
  skillsPerAnswer,
  type TryWordsReply,
  type WordsReply,
} from '@docent/shared/words';
import { sql } from 'kysely';
import type { OwnerWord } from '../../docs/sources/owner-words.ts';
import type { Audit } from '../../notify/audit/audit.ts';
import { callerActor } from '../../platform/auth/caller.ts';
import { DocentError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { createLookup, type Database } from '../../platform/store/database.ts';
import { lockUntilCommit } from '../../platform/store/lease.ts';
import type { Tables } from '../../platform/store/tables.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import type { SiteSettingsStore } from '../site-settings.ts';
import { matchSkill, wordingOf } from './wording.ts';

type Row = Tables['owner_words'];

/** Stands for a model where the owner's words are the answer. */
export const pinnedModel = 'docent/pinned';

export interface Skill {
  name: string;
  text: string;
}

/** What the owner says about a question. */
export interface Said {
  /** The answer, word for word. */
  pinned: { id: string; text: string } | undefined;
  /** Of the settings and of the repository; empty: none. */
  instructions: string;
  /** The skills that match these questions, best first. */
  skillsFor: (questions: readonly string[]) => Promise<Skill[]>;
}

/** For answers that only the documentation decides. */
export const unsaid: Said = { pinned: undefined, instructions: '', skillsFor: async () => [] };

export type Words = ReturnType<typeof createWords>;

export function createWords(deps: {
  database: Database;
  now: () => Date;
  audit: Pick<Audit, 'record'>;
  siteSettings: Pick<SiteSettingsStore, 'of'>;
}) {
  const { database, now, audit, siteSettings } = deps;
  const some = database.selectFrom('owner_words').select('id').where('domain', '=', '');
  const anyWord = createLookup(some.limit(sql.lit(1)));

  return {
    /** Only a model reads instructions and skills. A site without words of its owner costs one short look-up. */
    async of(site: Site, question: string, isForModel: boolean): Promise<Said> {
      const { domain } = site;
      const rows = (await anyWord(database, domain))
        ? await about(domain, question, isForModel)
        : [];
      const answer = rows.find(({ kind }) => kind === 'answer');
      if (answer) return { ...unsaid, pinned: answer };
      if (!isForModel) return unsaid;
      const own = rows.flatMap(({ kind, text }) => (kind === 'instructions' ? [text] : []));
      const { instructions } = await siteSettings.of(site);
      const skills = rows.filter(({ kind }) => kind === 'skill');
      return {
        pinned: undefined,
        instructions: [instructions, ...own].filter(Boolean).join('\n\n'),
        skillsFor: async (questions) => textsOf(bestSkills(skills, questions)),
      };
    },

    async list(domain: string): Promise<WordsReply> {
      const rows = await database
        .selectFrom('owner_words')
        .selectAll()
        .where('domain', '=', domain)
        .orderBy('id')
        .execute();
      const pinned = await Promise.all(
        rows.flatMap((row) => (row.kind === 'answer' ? [show(row)] : [])),
      );
      return {
        instructions: rows.find(({ kind }) => kind === 'instructions')?.text ?? null,
        skills: rows.flatMap((row) =>
          row.kind === 'skill' ? [{ ...describe(row), characters: row.text.length }] : [],
        ),
        answers: pinned,
      };
    },

    /** What a question would get, and why. */
    async try(domain: string, question: string): Promise<TryWordsReply> {
      const rows = await about(domain, question, true);
      const answer = rows.find(({ kind }) => kind === 'answer');
      const skills = rows.filter(({ kind }) => kind === 'skill');
      return {
        wording: wordingOf(question),
        answer: answer ? { id: answer.id, text: answer.text } : null,
        skills: bestSkills(skills, [question]).map(({ name }) => name),
      };
    },

    /** Rejects with `conflict` if somebody else changed the answer with this version in the meantime. */
    pin: save,

    async unpin({ domain, organization }: Site, id: string, by: string): Promise<void> {
      await database.transaction().execute(async (tx) => {
        const { text } = await ownAnswer(tx, domain, id);
        await tx.deleteFrom('owner_words').where('id', '=', id).execute();
        const entry = { organization, actor: callerActor(by), type: 'site.answer_unpinned' };
        await audit.record(tx, { ...entry, data: { domain, text } });
      });
    },

    /** Replaces what the repository said at the last index run. */
    async keep(domain: string, words: readonly OwnerWord[]): Promise<void> {
      const at = now().toISOString();
      const rows = words.map(({ kind, name, text, ...details }): Row => ({
        id: newId(),
        domain,
        origin: 'repository',
        kind,
        name,
        text,
        version: 1,
        details: JSON.stringify(details),
        updated_at: at,
        updated_by: null,
      }));
      const digest = (some: readonly Row[]) =>
        some.map(({ kind, name, text, details }) => JSON.stringify([kind, name, text, details]));
      await database.transaction().execute(async (tx) => {
        await lockUntilCommit(tx, `words ${domain}`);
        const mine = tx.selectFrom('owner_words').selectAll().where('domain', '=', domain);
        const before = await mine.where('origin', '=', 'repository').orderBy('id').execute();
        if (digest(before).join() === digest(rows).join()) return;
        const old = tx.deleteFrom('owner_words').where('domain', '=', domain);
        await old.where('origin', '=', 'repository').execute();
        if (rows.length === 0) return;
        await tx.insertInto('owner_words').values(rows).execute();
        for (const row of rows) {
          if (row.kind === 'answer') await claim(tx, row, detailsOf(row).questions, () => {});
        }
      });
    },
  };

  /** Without the texts of skills, most of which don't match. */
  function about(domain: string, question: string, isForModel: boolean) {
    const wording = wordingOf(question);
    return database
      .selectFrom('owner_words')
      .select(({ eb }) => [
        ...(['id', 'kind', 'name', 'details'] as const),
        eb.case().when('kind', '=', 'skill').then('').else(eb.ref('text')).end().as('text'),
      ])
      .where('domain', '=', domain)
      .where((either) =>
        either.or([
          ...(isForModel ? [either('kind', 'in', ['instructions', 'skill'])] : []),
          either('id', '=', (some) =>
            some
              .selectFrom('owner_wordings')
              .select('word_id')
              .where('owner_wordings.domain', '=', domain)
              .where('wording', '=', wording)
              .orderBy('origin', 'desc')
              .limit(1),
          ),
        ]),
      )
      .orderBy('id')
      .execute();
  }

  async function textsOf(skills: readonly { id: string }[]): Promise<Skill[]> {
    if (skills.length === 0) return [];
    const ids = skills.map(({ id }) => id);
    const rows = await database
      .selectFrom('owner_words')
      .select(['id', 'name', 'text'])
      .where('id', 'in', ids)
      .execute();
    return rows
      .toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
      .map(({ name, text }) => ({ name, text }));
  }

  async function save(
    { domain, organization }: Site,
    { text, ...details }: PinnedAnswerRequest,
    by: string,
    { id, version }: Pick<Row, 'id' | 'version'> = { id: newId(), version: 0 },
  ): Promise<PinnedAnswer> {
    const updated_at = now().toISOString();
    const row: Row = {
      id,
      domain,
      origin: 'dashboard',
      kind: 'answer',
      name: '',
      text,
      details: JSON.stringify(details),
      version: version + 1,
      updated_at,
      updated_by: by,
    };
    await database.transaction().execute(async (tx) => {
      await lockUntilCommit(tx, `words ${domain}`);
      if (version === 0) {
        const count = await tx
          .selectFrom('owner_words')
          .select(({ fn }) => fn.countAll().as('all'))
          .where('domain', '=', domain)
          .where('kind', '=', 'answer')
          .executeTakeFirstOrThrow();
        if (Number(count.all) >= maxPinned)
          throw new DocentError('conflict', `A site has at most ${maxPinned} pinned answers.`);
        await tx.insertInto('owner_words').values(row).execute();
      } else {
        const before = await ownAnswer(tx, domain, id);
        if (before.version !== version) {
          throw new DocentError(
            'conflict',
            'Somebody else changed this answer in the meantime. Load it again, and repeat your change.',
          );
        }
        await tx.updateTable('owner_words').set(row).where('id', '=', id).execute();
        await tx.deleteFrom('owner_wordings').where('word_id', '=', id).execute();
      }
      await claim(tx, row, details.questions, (question, index) => {
        throw new DocentError('conflict', `Another answer is pinned to "${question}".`, {
          details: [{ path: `questions.${index}`, message: 'has another pinned answer' }],
        });
      });
      await audit.record(tx, {
        organization,
        actor: callerActor(by),
        type: 'site.answer_pinned',
        data: { domain, ...details, text },
      });
    });
    return show(row);
  }

  /** Takes the wordings of questions for an answer. */
  async function claim(
    tx: Database,
    { id, domain, origin }: Row,
    questions: readonly string[],
    onTaken: (question: string, index: number) => void,
  ): Promise<void> {
    const mine = new Set<string>();
    for (const [index, question] of questions.entries()) {
      const wording = wordingOf(question);
      if (wording === '' || mine.has(wording)) continue;
      mine.add(wording);
      const { numInsertedOrUpdatedRows: added } = await tx
        .insertInto('owner_wordings')
        .values({ domain, wording, origin, word_id: id })
        .onConflict((taken) => taken.columns(['domain', 'wording', 'origin']).doNothing())
        .executeTakeFirstOrThrow();
      if (!added) onTaken(question, index);
    }
  }

  /** What can be edited here: those of the repository are edited there. */
  async function ownAnswer(tx: Database, domain: string, id: string): Promise<Row> {
    const row = await tx
      .selectFrom('owner_words')
      .selectAll()
      .where('id', '=', id)
      .where('domain', '=', domain)
      .where('kind', '=', 'answer')
      .executeTakeFirst();
    if (!row) throw new DocentError('not_found', 'This site has no pinned answer with this id.');
    if (row.origin === 'dashboard') return row;
    const file = `.docent/answers/${row.name}.md`;
    throw new DocentError('conflict', `This answer is in the repository. Change ${file} there.`);
  }

  async function show(row: Row): Promise<PinnedAnswer> {
    const details = detailsOf(row);
    return {
      id: row.id,
      from: row.origin,
      name: row.name || null,
      text: row.text,
      ...details,
      version: row.version,
      updatedAt: row.updated_at,
      updatedBy: row.updated_by,
      failures: await failuresOf(row, details),
    };
  }

  /** The test list: its questions get this answer, and others don't. */
  async function failuresOf(
    { id, domain }: Pick<Row, 'id' | 'domain'>,
    { questions, tests, notFor }: Pinning,
  ): Promise<string[]> {
    const asked = [...new Set([...questions, ...tests, ...notFor])];
    const rows = await database
      .selectFrom('owner_wordings')
      .select(['wording', 'word_id'])
      .where('domain', '=', domain)
      .where('wording', 'in', [...asked.map(wordingOf), ''])
      // The repository's come last, and win.
      .orderBy('origin')
      .execute();
    const owner = new Map(rows.map(({ wording, word_id }) => [wording, word_id]));
    const gets = (question: string) => owner.get(wordingOf(question));
    const it = `the answer to “${questions[0] ?? ''}”`;
    const why = (question: string) =>
      gets(question) === undefined
        ? `“${question}” doesn’t get ${it}: “${wordingOf(question)}” is none of its wordings.`
        : `“${question}” doesn’t get ${it}, but another one.`;
    return [
      ...[...questions, ...tests].filter((one) => gets(one) !== id).map(why),
      ...notFor.filter((one) => gets(one) === id).map((one) => `“${one}” gets ${it}.`),
    ];
  }
}

type Pinning = Omit<PinnedAnswerRequest, 'text'>;

const detailsOf = ({ details }: Pick<Row, 'details'>) => JSON.parse(details) as Pinning;

function describe({ name, details }: Pick<Row, 'name' | 'details'>) {
  return { name, ...(JSON.parse(details) as { description: string; keywords: string[] }) };
}

function bestSkills<One extends Pick<Row, 'name' | 'details'>>(
  skills: readonly One[],
  questions: readonly string[],
): One[] {
  return skills
    .map((skill) => ({ skill, score: matchSkill(describe(skill), questions) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, skillsPerAnswer)
    .map(({ skill }) => skill);
}
