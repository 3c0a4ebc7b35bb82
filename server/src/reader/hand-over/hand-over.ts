/**
 * Hands a conversation over to people: a message in the outbox for the site's webhook and its email address,
 * in one transaction. What the reader wrote about themselves stands there alone, and goes after 30 days.
 */
import { HandOverRequest, HandOverReply } from '@docent/shared/hand-over';
import { pseudonym } from '../../platform/redaction/redact.ts';
import { sha256 } from '../../platform/hash.ts';
import { newId } from '../../platform/ids.ts';
import { DocentError } from '../../platform/errors.ts';
import { dayMs } from '../../platform/time.ts';
import { chunksOf, type Database } from '../../platform/store/database.ts';
import { lockUntilCommit } from '../../platform/store/lease.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { deleteDeliveries } from '../../notify/webhooks/deliveries.ts';
import type { Webhooks } from '../../notify/webhooks/webhooks.ts';
import { loadPast, unstored } from '../conversations/threads.ts';
import { countedHeaders, endpointsOf, json } from '../../platform/http/endpoint.ts';
import type { QuestionLimits } from '../ask/question-limits.ts';
import { type Challenges, requireProof } from '../challenge/routes.ts';

export interface HandOverDeps {
  database: Database;
  now: () => Date;
  webhooks: Pick<Webhooks, 'enqueueForSite' | 'wake'>;
  /** Of the dashboard. */
  baseUrl: () => string;
}

/** More than that is an attack on the owner's mailbox. */
const perSiteAndDay = 200;
const maxTurns = 20;
const maxAnswer = 4_000;

/** The same words for the same conversation are handed over once. */
export async function handOver(
  { fp: given, threadId: named, name, email, message }: HandOverRequest,
  site: Site,
  { database, now, webhooks, baseUrl }: HandOverDeps,
): Promise<{ id: string; createdAt: string }> {
  const { domain } = site;
  const threadId = named?.startsWith(unstored) ? undefined : named;
  const fp = pseudonym(given, domain);
  const createdAt = now().toISOString();
  const id = newId();
  const digest = sha256(JSON.stringify([domain, fp, threadId, email, message]), 'base64url');
  const made = await database.transaction().execute(async (tx) => {
    await lockUntilCommit(tx, `hand-overs ${domain}`);
    const known = await tx
      .selectFrom('hand_overs')
      .select(['id', 'created_at as createdAt'])
      .where('digest', '=', digest)
      .executeTakeFirst();
    if (known) return known;
    const day = new Date(now().getTime() - dayMs).toISOString();
    const { count } = await tx
      .selectFrom('hand_overs')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('domain', '=', domain)
      .where('created_at', '>', day)
      .executeTakeFirstOrThrow();
    if (Number(count) >= perSiteAndDay) {
      throw new DocentError('rate_limited', 'This site has had too many messages today.');
    }
    const turns = threadId === undefined ? [] : await loadPast(tx, threadId, { domain, fp: given });
    const thread = threadId ?? null;
    await tx
      .insertInto('hand_overs')
      .values({ id, domain, fp, thread_id: thread, digest, created_at: createdAt })
      .execute();
    const conversation = turns.slice(-maxTurns).map(({ question, answer }) => ({
      question: question.slice(0, maxAnswer),
      answer: answer.slice(0, maxAnswer),
    }));
    const path = `/dashboard/conversations/${thread}?site=${encodeURIComponent(domain)}`;
    const url = thread === null ? null : baseUrl() + path;
    await webhooks.enqueueForSite(tx, site, {
      about: id,
      type: 'handover.created',
      timestamp: createdAt,
      data: { site: domain, threadId: thread, url, name, email, message, conversation },
      email: {
        subject: `${site.name}: a question from ${name}`,
        text: [
          `${name} <${email}> asks for a person, and agreed that you get this message and the conversation.`,
          message,
          ...(url === null ? [] : [`The conversation: ${url}`]),
          ...conversation.map(({ question, answer }) => `----\nQuestion: ${question}\n\n${answer}`),
        ].join('\n\n'),
        replyTo: { name, address: email },
      },
    });
    return { id, createdAt };
  });
  webhooks.wake();
  return made;
}

/** Forgets what a reader handed over, all of it or with one conversation, or what is too old. */
export async function forgetHandOvers(
  tx: Database,
  domain: string,
  { fp, threadId, before }: { fp?: string; threadId?: string | undefined; before?: string },
): Promise<void> {
  const rows = await tx
    .selectFrom('hand_overs')
    .select('id')
    .where('domain', '=', domain)
    .$if(fp !== undefined, (rows) => rows.where('fp', '=', fp ?? ''))
    .$if(threadId !== undefined, (rows) => rows.where('thread_id', '=', threadId ?? ''))
    .$if(before !== undefined, (rows) => rows.where('created_at', '<', before ?? ''))
    .execute();
  for (const some of chunksOf(rows.map(({ id }) => id))) {
    await deleteDeliveries(tx, some);
    await tx.deleteFrom('hand_overs').where('id', 'in', some).execute();
  }
}

/** Where a reader writes to people. Not in the service document. */

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
