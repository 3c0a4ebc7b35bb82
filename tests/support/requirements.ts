/**
 * What the service document promises about the parts that exist, and what it leaves open. Silence is
 * data: where the document says "not shown", the sentence here is what we chose.
 */

/** Promises that tests must prove; each id stands in a `verifies` call. */
export const promised = {
  'assistant-v2:path': 'POST /discovery/v2/assistant/{domain}/message takes JSON and answers 200',
  'assistant-v2:stream': 'The response is a stream compatible with chat SDK version 5 or later',
  'assistant-v2:sdk-clients': 'The SDK’s chat hook with its default chat transport reads it',
  'assistant-v2:thread-id':
    'A thread id is returned so follow-up messages continue the conversation',
  'assistant-v2:finish-event': 'event.threadId stands on the event whose event.type is finish',
  'assistant-v2:thread-continues':
    'threadId (string or null) in a request continues a conversation',
  'assistant-v2:fp': 'fp is required; the literal anonymous stands for anonymous users',
  'assistant-v2:messages': 'messages is required; message objects carry id, role and parts',
  'assistant-v2:page-size': 'retrievalPageSize sets how many search results are used, 5 by default',
  'assistant-v2:filter': 'filter is an object or null',
  'assistant-v2:context': 'context items have type code or textSelection, value, path?, elementId?',
  'assistant-v2:current-path': 'currentPath is at most 200 characters',
  'assistant-v2:current-path-used': 'currentPath makes the answer more relevant',
  'assistant-v1:path':
    'POST /discovery/v1/assistant/{domain}/message takes the same body; messages carry content too',
  'assistant-v1:stream': 'The response is a data stream compatible with chat SDK version 4',
  'assistant-v1:extra-fields': 'Its clients set streamProtocol data and sendExtraMessageFields',
  'agent-v2:create': 'POST /v2/agent/{projectId}/job takes a prompt and answers with the job',
  'agent-v2:message':
    'POST /v2/agent/{projectId}/job/{id}/message takes a prompt and answers with the job',
  'agent-v2:shape': 'A job has id, status, source, model, prLink, createdAt, archivedAt',
  'agent-v2:states': 'A job is active until it is completed or failed; prLink where files changed',
  'agent-v2:pull-request': 'A pull request is created when files changed, and only then',
  'agent-v1:create': 'POST /v1/agent/{projectId}/job streams the run; X-Session-Id is sent back',
  'agent-v1:read': 'GET /v1/agent/{projectId}/job/{id} answers a session',
  'agent-v1:list': 'GET /v1/agent/{projectId}/jobs answers allSessions',
  'agent-v1:spelling': 'Sessions have haulted and haultReason, one of them github_missconfigured',
  'auth:bearer': 'Every endpoint takes Authorization: Bearer <token>',
  'auth:assistant-key': 'Assistant endpoints need an assistant key, which starts with svc_dsc_',
  'auth:admin-key': 'Agent endpoints need an admin key',
  'auth:admin-key-prefix': 'An admin key starts with svc_',
  'limits:key-month': '10,000 uses per key and month',
  'limits:organization-hour': '10,000 requests per organization and hour',
  'limits:address-day': '10,000 requests per IP address and day',
  'versioning:sdk-4-v1': 'Callers with chat SDK 4 use the v1 assistant endpoint',
  'versioning:sdk-5-and-later-v2': 'Callers with chat SDK 5 or later use the v2 assistant endpoint',
} as const satisfies Record<string, string>;

export type Promised = keyof typeof promised;

/** Promises about parts that are not built yet, by what will build them. */
export const planned = {} as const satisfies Record<string, string>;

/** Where the document is silent: what we chose. Tests may prove these too; the list may not lose one. */
export const notShown = {
  'errors:statuses': 'one table of codes and statuses in shared/errors.ts',
  'errors:body': 'one flat JSON body: error, code, requestId, retryAfter?, details?',
  'auth:lifetime': 'keys live until they expire, if they have an end, or are revoked',
  'auth:rotation':
    'any number of valid keys at a time, and two tokens of one key; revoking takes effect with the next request',
  'assistant-v2:filter-structure':
    'version, language, groups, tag; an unknown key is refused, and a group that the key was not granted',
  'assistant-v2:roles': 'user, assistant, system; system has no more authority than user',
  'assistant-v2:stream-parts':
    'only parts that chat SDK 5, 6 and 7 accept from their first release',
  'events:other-kinds':
    'start, start-step, source-url, text, data-answer, finish-step, finish, error',
  'limits:windows': 'calendar month, clock hour and calendar day, in UTC',
  'limits:answer': '429 with Retry-After, RateLimit and RateLimit-Policy',
  'limits:body-size': '1 MB',
  'agent:success-statuses': 'agent jobs: 201 for create, 200 for the others',
  'agent:repository-and-ref': 'agent jobs: the configuration file names them',
  'agent:archived-at': 'agent jobs: null until the job is archived',
  'agent:follow-up-status': 'agent jobs: a finished job goes back to active',
} as const satisfies Record<string, string>;
