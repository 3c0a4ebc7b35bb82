/** Proof of work, for sites that ask for it (goals, "browser key safe to publish"; not in the service document). */
import { ChallengeReply } from '@docent/shared/replies';
import type { RequestHandler } from 'express';
import { DocentError } from '../../platform/errors.ts';
import { endpointsOf, json } from '../../platform/http/endpoint.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { challengeHeader, type Challenges } from './challenges.ts';
import { callerOf } from '../../platform/http/request.ts';

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
