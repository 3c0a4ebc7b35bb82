/**
 * Proof of work, for sites that ask for it (goals, "browser key safe to publish"; not in the service document):
 *   GET /discovery/v1/challenge/{domain}  gets a challenge; 404 if the site asks for none
 */
import { type Request, type RequestHandler, Router } from 'express';
import { DocentError } from '../errors.ts';
import { methodNotAllowed } from '../http/method-not-allowed.ts';
import { callerOf, requireKey } from '../http/require-key.ts';
import type { Caller, Keys } from '../auth/keys.ts';
import type { Limits } from '../limits/limits.ts';
import type { Site, Sites } from '../tenants/sites.ts';
import { challengeHeader, type Challenges } from './challenges.ts';

export interface ChallengeDeps {
  keys: Keys;
  limits: Limits;
  sites: Sites;
  challenges: Challenges;
}

export function createChallengeRoutes({ keys, limits, sites, challenges }: ChallengeDeps): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route('/discovery/v1/challenge/:domain')
    .get(limits.perAddress, requireKey(keys, 'assistant'), async (request, response) => {
      const site = sites.forCaller(request.params.domain, callerOf(response));
      const { challenge } = site;
      if (!challenge) {
        throw new DocentError('not_found', 'This site asks for no proof of work.');
      }
      response
        .set('Cache-Control', 'no-store')
        .json(await challenges.issue({ ...site, challenge }));
    })
    .all(methodNotAllowed('GET'));
  return router;
}

/**
 * Refuses a question without a proof if the site asks for one. This includes requests without `Origin`,
 * because a program with a copied key sends none. Owners can except keys that stay on their servers.
 */
export async function assertProven(
  challenges: Challenges,
  { site, caller }: { site: Site; caller: Caller },
  request: Pick<Request, 'get'>,
): Promise<void> {
  if (!site.challenge || site.challenge.exceptKeys.includes(caller.keyId)) return;
  await challenges.assertSolved(site.domain, request.get(challengeHeader));
}

/** The same as middleware for paths with `:domain`, before the request is counted or read. */
export function requireProof({
  sites,
  challenges,
}: Pick<ChallengeDeps, 'sites' | 'challenges'>): RequestHandler<{ domain: string }> {
  return async function requireProof(request, response, next) {
    const caller = callerOf(response);
    // A site of another caller is refused later, like everywhere else.
    const site = sites.ofCaller(caller).find(({ domain }) => domain === request.params.domain);
    if (site) await assertProven(challenges, { site, caller }, request);
    next();
  };
}
