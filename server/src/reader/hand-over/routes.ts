/** Where a reader writes to people. Not in the service document. */
import { HandOverReply, HandOverRequest } from '@docent/shared/hand-over';
import { DocentError } from '../../platform/errors.ts';
import { countedHeaders, endpointsOf, json } from '../../platform/http/endpoint.ts';
import type { Challenges } from '../challenge/challenges.ts';
import { requireProof } from '../challenge/routes.ts';
import { handOver, type HandOverDeps } from './hand-over.ts';
import type { QuestionLimits } from '../ask/question-limits.ts';

type Deps = HandOverDeps & { challenges: Challenges; questionLimits: QuestionLimits };

export const handOverEndpoints = [
  endpointsOf<Deps>('Assistant')('POST /discovery/v1/hand-over/{domain}', {
    id: 'handOver',
    summary: 'Ask for a person, who gets the reader’s words and the conversation',
    description:
      'For sites with a form, as `GET /discovery/v1/site/{domain}` says. The same words for the same conversation are handed over once.',
    who: { key: 'assistant' },
    limit: 'question',
    before: ({ challenges }) => [requireProof(challenges)],
    body: HandOverRequest,
    reply: json(HandOverReply, 'It was handed over.', { status: 201, headers: countedHeaders }),
    errors: ['not_found'],
    async run({ site, body, request, response }, deps) {
      if (!site.handOver || site.handOver.link !== undefined) {
        throw new DocentError('not_found', 'This site has no form for messages to people.');
      }
      const { fp, threadId } = body;
      await deps.questionLimits(request, response, { domain: site.domain, fp, threadId });
      return handOver(body, site, deps);
    },
  }),
];
