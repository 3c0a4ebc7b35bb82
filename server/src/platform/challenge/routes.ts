/**
 * Proof of work, for sites that ask for it (goals, "browser key safe to publish"; not in the service document):
 *   GET /discovery/v1/challenge/{domain}  gets a challenge; 404 if the site asks for none
 */
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { DocentError } from '../errors.ts';
import { callerOf, requireKey } from '../http/require-key.ts';
import type { Keys } from '../auth/keys.ts';
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
  router.get(
    '/discovery/v1/challenge/:domain',
    limits.lookups.perAddress,
    requireKey(keys, 'assistant'),
    async (request: Request<{ domain: string }>, response: Response) => {
      const site = sites.forCaller(request.params.domain, callerOf(response));
      const { challenge } = site;
      if (!challenge) {
        throw new DocentError('not_found', "This site doesn't require a proof of work.");
      }
      response
        .set('Cache-Control', 'no-store')
        .json(await challenges.issue({ ...site, challenge }));
    },
  );
  return router;
}

/**
 * Refuses a question without a proof if its site asks for one, before it's counted. This includes requests
 * without `Origin`, because a program with a copied key sends none. Owners can except keys that stay on
 * their servers. `siteOf` refuses a site that isn't the caller's, which is counted as little.
 */
export function requireProof<Path extends object>(
  challenges: Challenges,
  siteOf: (request: Request<Path>, response: Response) => Site,
): RequestHandler<Path> {
  return async function requireProof(request, response, next) {
    const { domain, challenge } = siteOf(request, response);
    if (challenge && !challenge.exceptKeys.includes(callerOf(response).keyId)) {
      await challenges.assertSolved(domain, request.get(challengeHeader));
    }
    next();
  };
}
