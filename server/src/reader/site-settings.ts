/**
 * Settings of sites that the dashboard changes while the service runs. The configuration file wins. They
 * are read with each use, so a change works from the next request on, in every process.
 */
import type { Tables } from '../platform/store/tables.ts';
import type { SiteSettingsReply, SiteSettingsRequest } from '@docent/shared/sites';
import { type Audit } from '../notify/audit/audit.ts';
import { DocentError } from '../platform/errors.ts';
import { createLookup, type Database } from '../platform/store/database.ts';
import type { Site } from '../platform/tenants/sites.ts';
import { callerActor } from '../platform/auth/caller.ts';

export interface SiteSettings {
  starterQuestions: readonly string[];
  /** Empty: none. */
  instructions: string;
}

export type SiteSettingsStore = ReturnType<typeof createSiteSettings>;

export function createSiteSettings(deps: {
  database: Database;
  now: () => Date;
  audit: Pick<Audit, 'record'>;
}) {
  const { database, now, audit } = deps;
  const rowOf = createLookup(
    database.selectFrom('site_settings').selectAll().where('domain', '=', ''),
  );

  return {
    /** What counts now. */
    async of(site: Site): Promise<SiteSettings> {
      const hasOwn = site.starterQuestions.length > 0 && site.instructions !== undefined;
      const row = hasOwn ? undefined : await rowOf(database, site.domain);
      const { starterQuestions, instructions } = show(site, row);
      return { starterQuestions: starterQuestions.value, instructions: instructions.value };
    },

    async read(site: Site): Promise<SiteSettingsReply> {
      return show(site, await rowOf(database, site.domain));
    },

    /** Rejects with `conflict` if somebody else changed them in the meantime. */
    async change(
      site: Site,
      { version, ...change }: SiteSettingsRequest,
      by: string,
    ): Promise<SiteSettingsReply> {
      const fixed = inFile(site).find((name) => change[name] !== undefined);
      if (fixed !== undefined) {
        throw new DocentError(
          'conflict',
          `The configuration file sets \`${fixed}\` of this site; change it there, or remove it from the file.`,
        );
      }
      return database.transaction().execute(async (transaction) => {
        const before = await rowOf(transaction, site.domain);
        if ((before?.version ?? 0) !== version) {
          throw new DocentError(
            'conflict',
            'Somebody else changed these settings in the meantime. Load them again, and repeat your change.',
          );
        }
        const questions = change.starterQuestions;
        const row: Tables['site_settings'] = {
          domain: site.domain,
          version: version + 1,
          starter_questions: questions
            ? JSON.stringify(questions)
            : (before?.starter_questions ?? '[]'),
          instructions: change.instructions ?? before?.instructions ?? '',
          updated_at: now().toISOString(),
          updated_by: by,
        };
        const { numInsertedOrUpdatedRows } = await transaction
          .insertInto('site_settings')
          .values(row)
          .onConflict((conflict) =>
            conflict.column('domain').doUpdateSet(row).where('site_settings.version', '=', version),
          )
          .executeTakeFirst();
        if (numInsertedOrUpdatedRows === 0n) {
          throw new DocentError('conflict', 'Somebody else changed these settings just now.');
        }
        await audit.record(transaction, {
          organization: site.organization,
          actor: callerActor(by),
          type: 'site.settings_changed',
          data: { domain: site.domain, ...change },
        });
        return show(site, row);
      });
    },
  };
}

/** The settings that the file determines. */
function inFile(site: Site): (keyof SiteSettings)[] {
  return [
    ...(site.starterQuestions.length > 0 ? (['starterQuestions'] as const) : []),
    ...(site.instructions === undefined ? [] : (['instructions'] as const)),
  ];
}

function show(site: Site, row: Tables['site_settings'] | undefined): SiteSettingsReply {
  const questions = JSON.parse(row?.starter_questions ?? '[]') as string[];
  const given = row?.instructions ?? '';
  return {
    domain: site.domain,
    version: row?.version ?? 0,
    starterQuestions:
      site.starterQuestions.length > 0
        ? { value: site.starterQuestions, from: 'file' }
        : { value: questions, from: questions.length > 0 ? 'dashboard' : 'default' },
    instructions:
      site.instructions === undefined
        ? { value: given, from: given === '' ? 'default' : 'dashboard' }
        : { value: site.instructions, from: 'file' },
    updatedAt: row?.updated_at ?? null,
    updatedBy: row?.updated_by ?? null,
  };
}
