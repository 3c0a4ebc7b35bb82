/**
 * Proof of work without a third party: before a question, the client finds a number by trying. That costs
 * some processor time, which a reader doesn't notice but a flood does. The scheme is ALTCHA's: the client
 * gets SHA-256(salt + number), signed, and looks for the number. Not in the service document.
 */
import { ChallengeReply } from '@docent/shared/replies';
import type { RequestHandler } from 'express';
import { DocentError } from '../../platform/errors.ts';
import { endpointsOf, json } from '../../platform/http/endpoint.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { callerOf } from '../../platform/http/request.ts';
import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { sha256 } from '../../platform/hash.ts';
import { newId } from '../../platform/ids.ts';
import { createOncePerKey } from '../../platform/lru.ts';
import type { Database } from '../../platform/store/database.ts';

export const challengeEndpoints = [
  endpointsOf<{ challenges: Challenges }>('Assistant')('GET /discovery/v1/challenge/{domain}', {
    id: 'getChallenge',
    summary: 'A proof of work, for sites that ask for one before a question',
    who: { key: 'assistant' },
    reply: json(ChallengeReply, 'The challenge; its solution goes into the header `X-Challenge`.'),
    async run({ site, response }, { challenges }) {
      const { challenge } = site;
      if (!challenge) {
        throw new DocentError('not_found', "This site doesn't require a proof of work.");
      }
      response.set('Cache-Control', 'no-store');
      return challenges.issue({ ...site, challenge });
    },
  }),
];

/**
 * Refuses a question without a proof if its site asks for one, before it's counted. This includes requests
 * without `Origin`, because a program with a copied key sends none. Owners can except keys that stay on
 * their servers.
 */
export function requireProof(challenges: Challenges): RequestHandler {
  return async function requireProof(request, response, next) {
    const { domain, challenge } = response.locals['site'] as Site;
    if (challenge && !challenge.exceptKeys.includes(callerOf(response).id)) {
      await challenges.assertSolved(domain, request.get(challengeHeader));
    }
    next();
  };
}

/** The header for a solution: base64 of the challenge's JSON with the `number`. */
const challengeHeader = 'X-Challenge';

export type Challenges = ReturnType<typeof createChallenges>;

export function createChallenges(deps: { database: Database; now: () => Date }) {
  const { database, now } = deps;
  const secrets = createOncePerKey<string>(1);
  const sign = async (challenge: string) =>
    createHmac('sha256', await secrets('challenge', () => readSecret(database)))
      .update(challenge)
      .digest('hex');

  return {
    async issue(
      site: Site & { challenge: NonNullable<Site['challenge']> },
    ): Promise<z.output<typeof ChallengeReply>> {
      const { difficulty, expiresSeconds } = site.challenge;
      const expires = Math.floor(now().getTime() / 1000) + expiresSeconds;
      // The last dot separates it from the digits of the number.
      const salt = `${newId()}.${site.domain}.${expires}.`;
      const challenge = sha256(`${salt}${randomInt(difficulty + 1)}`);
      return {
        algorithm: 'SHA-256',
        challenge,
        salt,
        maxNumber: difficulty,
        signature: await sign(challenge),
        expiresAt: new Date(expires * 1000).toISOString(),
      };
    },

    /** Accepts a solution once. Otherwise rejects with `forbidden` and the reason. */
    async assertSolved(domain: string, header: string | undefined): Promise<void> {
      if (header === undefined) throw refused(domain, 'is missing');
      const solution = readSolution(header);
      if (!solution) throw refused(domain, 'is not base64 of a challenge with its number');
      const { salt, number, challenge, signature } = solution;
      const [, id = '', forDomain, expires] =
        /^([0-9A-Z]{26})\.(.+)\.(\d{1,12})\.$/.exec(salt) ?? [];
      const isOurs = equals(await sign(challenge), signature) && id !== '';
      if (!isOurs) throw refused(domain, 'was not issued by this service');
      if (sha256(`${salt}${number}`) !== challenge) throw refused(domain, 'has the wrong number');
      if (forDomain !== domain) throw refused(domain, 'is for another site');
      const expiresAt = new Date(Number(expires) * 1000);
      if (expiresAt <= now()) throw refused(domain, 'has expired');
      const { numInsertedOrUpdatedRows } = await database
        .insertInto('spent_challenges')
        .values({ id, expires_at: expiresAt.toISOString() })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows !== 1n) throw refused(domain, 'has been used already');
    },
  };
}

/** The secret that challenges are signed with. It's created on first use, and stays the same for all processes and restarts. */
async function readSecret(database: Database): Promise<string> {
  const name = 'challenge';
  await database
    .insertInto('secrets')
    .values({ name, value: randomBytes(32).toString('base64url') })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await database
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row.value;
}

/** Deletes solved challenges that have expired. */
export async function deleteExpiredChallenges(database: Database, now: Date): Promise<void> {
  await database
    .deleteFrom('spent_challenges')
    .where('expires_at', '<=', now.toISOString())
    .execute();
}

const Solution = ChallengeReply.pick({ challenge: true, salt: true, signature: true }).extend({
  number: z.int(),
});

function readSolution(header: string): z.output<typeof Solution> | undefined {
  try {
    return Solution.parse(JSON.parse(Buffer.from(header.slice(0, 2_000), 'base64').toString()));
  } catch {
    return undefined;
  }
}

function equals(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** 403: the key is valid, but isn't enough. `details` names the header, so that programs can react. */
function refused(domain: string, message: string): DocentError {
  return new DocentError(
    'forbidden',
    `This site requires a proof of work with each question: solve a challenge from GET /discovery/v1/challenge/${domain} and send it in the header ${challengeHeader}.`,
    { details: [{ path: challengeHeader, message }] },
  );
}
