/**
 * Feedback of readers, and analytics for the owner of a site. Not in the service document. Where the public
 * analytics API has the same endpoint, paths and names are the same.
 *   POST /discovery/v1/feedback/{domain}              feedback of a reader (assistant key)
 *   DELETE /discovery/v1/feedback/{domain}/{id}       takes it back; 204 also where there is nothing (assistant key)
 *   DELETE /discovery/v1/thread/{domain}/{id}         a reader deletes one of their conversations (assistant key)
 *   GET  /v1/analytics/{domain}                       numbers of a period (this and all below: admin key)
 *   GET  /v1/analytics/{domain}/assistant             questions with their answers: pages, JSON lines or CSV
 *   GET  /v1/analytics/{domain}/assistant/{id}        one conversation
 *   GET  /v1/analytics/{domain}/feedback              feedback, newest first
 *   GET  /v1/feedback/{domain}/{id}                   one of them, with the notes of the team
 *   PATCH /v1/feedback/{domain}/{id}                  its state, assignee, or another note
 *   GET  /v1/analytics/{domain}/feedback/by-page      feedback and citations of each page
 *   GET  /v1/analytics/{domain}/unanswered            questions without an answer, grouped
 *   POST /v1/gaps/{domain}                            merges, splits, or dismisses groups of them: 201
 *   POST /v1/readers/{domain}/forget                  deletes everything of one reader
 */
import {
  ConversationsQuery,
  FeedbackChange,
  FeedbackQuery,
  ForgetRequest,
  GapDecision,
  PeriodQuery,
} from '@docent/shared/analytics';
import { FeedbackRequest } from '@docent/shared/feedback';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { sendTable } from '../../platform/http/table-file.ts';
import { addressOf, jsonBody, parse } from '../../platform/http/request.ts';
import { toPage } from '../../platform/http/paging.ts';
import { requireKey } from '../../accounts/require-key.ts';
import { type Audit } from '../../notify/audit/audit.ts';
import type { Keys } from '../../accounts/keys/keys.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import { anonymous } from '../../platform/redaction/redact.ts';
import type { Sites } from '../../platform/tenants/sites.ts';
import type { Bus } from '../../platform/store/bus.ts';
import {
  columns,
  eachConversation,
  listConversations,
  readThread,
  toCells,
} from './conversations.ts';
import { type FeedbackDeps, giveFeedback, takeBackFeedback } from './feedback.ts';
import { decideGaps } from './gap-decisions.ts';
import { findGaps } from './gaps.ts';
import { changeFeedback, countStates, listFeedback, readFeedback } from './inbox.ts';
import type { ReaderJobs } from './jobs/reader-jobs.ts';
import { forgetReader, forgetThread } from '../conversations/retention.ts';
import { summarize } from './overview.ts';
import { feedbackByPage, toPeriod } from './summary.ts';
import { callerActor, callerOf } from '../../platform/auth/caller.ts';

export interface AnalyticsDeps extends FeedbackDeps {
  audit: Audit;
  readerJobs: ReaderJobs;
  bus: Bus;
  keys: Keys;
  mayAccess: RequestHandler[];
  limits: Limits;
  sites: Sites;
}

type OfSite = Request<{ domain: string }>;
type OfItem = Request<{ domain: string; id: string }>;

export function createAnalyticsRoutes(deps: AnalyticsDeps): Router {
  const { database, keys, mayAccess, limits, sites, now } = deps;
  const router = Router({ strict: true, caseSensitive: true });
  const siteOf = (request: Pick<OfSite, 'params'>, response: Response) =>
    sites.forCaller(request.params.domain, callerOf(response)).domain;

  router.post(
    '/discovery/v1/feedback/:domain',
    limits.lookups.perAddress,
    requireKey(keys, 'assistant'),
    jsonBody,
    async (request: OfSite, response: Response) => {
      const domain = siteOf(request, response);
      const feedback = parse(FeedbackRequest, request.body);
      const given = await giveFeedback(feedback, domain, callerOf(response), deps);
      const report = await deps.readerJobs.consider(domain, given.id, addressOf(request));
      response.json({ ...given, ...(report && { report }) });
    },
  );

  router.delete(
    '/discovery/v1/feedback/:domain/:id',
    limits.lookups.perAddress,
    requireKey(keys, 'assistant'),
    async (request: OfItem, response: Response) => {
      const domain = siteOf(request, response);
      // Not in the path or query, which end up in logs.
      const fp = request.get('x-fp') || anonymous;
      await takeBackFeedback({ id: request.params.id, fp }, domain, deps);
      response.status(204).end();
    },
  );

  router.delete(
    '/discovery/v1/thread/:domain/:id',
    limits.lookups.perAddress,
    requireKey(keys, 'assistant'),
    async (request: OfItem, response: Response) => {
      const domain = siteOf(request, response);
      await forgetThread(deps, domain, request.get('x-fp') || anonymous, request.params.id);
      response.status(204).end();
    },
  );

  router.get('/v1/analytics/:domain', ...mayAccess, async (request: OfSite, response: Response) => {
    const domain = siteOf(request, response);
    const period = toPeriod(parse(PeriodQuery, request.query), now());
    response.json(await summarize(database, domain, period));
  });

  router.get(
    '/v1/analytics/:domain/assistant',
    ...mayAccess,
    async (request: OfSite, response: Response) => {
      const domain = siteOf(request, response);
      const query = parse(ConversationsQuery, request.query);
      const period = toPeriod(query, now());
      if (query.format === 'json') {
        response.json(await listConversations(database, domain, period, query));
        return;
      }
      const rows = eachConversation(database, domain, period, query);
      const { format } = query;
      const name = `${domain}-conversations`;
      await sendTable(response, rows, { name, format, columns, toCells });
    },
  );

  router.get(
    '/v1/analytics/:domain/assistant/:id',
    ...mayAccess,
    async (request: OfItem, response: Response) => {
      response.json(await readThread(database, siteOf(request, response), request.params.id));
    },
  );

  router.get(
    '/v1/analytics/:domain/feedback',
    ...mayAccess,
    async (request: OfSite, response: Response) => {
      const domain = siteOf(request, response);
      const query = parse(FeedbackQuery, request.query);
      const wanted = { ...query, limit: query.limit + 1 };
      const found = await listFeedback(database, domain, toPeriod(query, now()), wanted);
      const { rows: feedback, next } = toPage(found, query.limit, ({ id }) => id);
      response.json({ feedback, counts: await countStates(database, domain), ...next });
    },
  );

  router
    .route('/v1/feedback/:domain/:id')
    .get(...mayAccess, async (request: OfItem, response: Response) => {
      const site = sites.forCaller(request.params.domain, callerOf(response));
      response.json(await readFeedback(database, site, request.params.id));
    })
    .patch(...mayAccess, jsonBody, async (request: OfItem, response: Response) => {
      const caller = callerOf(response);
      const site = sites.forCaller(request.params.domain, caller);
      const change = parse(FeedbackChange, request.body);
      response.json(await changeFeedback(deps, site, request.params.id, change, caller.id));
    });

  router.get(
    '/v1/analytics/:domain/feedback/by-page',
    ...mayAccess,
    async (request: OfSite, response: Response) => {
      const domain = siteOf(request, response);
      const period = toPeriod(parse(PeriodQuery, request.query), now());
      response.json({ pages: await feedbackByPage(database, domain, period) });
    },
  );

  router.get(
    '/v1/analytics/:domain/unanswered',
    ...mayAccess,
    async (request: OfSite, response: Response) => {
      const domain = siteOf(request, response);
      const period = toPeriod(parse(PeriodQuery, request.query), now());
      response.json(await findGaps(database, domain, period, deps.readerJobs));
    },
  );

  router.post(
    '/v1/gaps/:domain',
    ...mayAccess,
    jsonBody,
    async (request: OfSite, response: Response) => {
      const caller = callerOf(response);
      const site = sites.forCaller(request.params.domain, caller);
      const decision = parse(GapDecision, request.body);
      response.status(201).json(await decideGaps(deps, site, decision, caller.id));
    },
  );

  router.post(
    '/v1/readers/:domain/forget',
    ...mayAccess,
    jsonBody,
    async (request: OfSite, response: Response) => {
      const { organization, id } = callerOf(response);
      const domain = siteOf(request, response);
      const reader = parse(ForgetRequest, request.body);
      const by = { organization, actor: callerActor(id) };
      response.json(await forgetReader(deps, { domain, ...by }, reader));
    },
  );

  return router;
}
