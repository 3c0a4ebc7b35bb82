/** Every endpoint of the service. A test compares them with the routes of Express. */
import { isAtLeast, type Role } from '@docent/shared/people';
import type { Services } from './compose.ts';
import { indexEndpoints } from './docs/indexer/routes.ts';
import { auditEndpoints, ownerEndpoints } from './owner/routes.ts';
import { keyEndpoints } from './accounts/keys/routes.ts';
import { invitationEndpoints } from './accounts/people/invitation-routes.ts';
import { memberEndpoints } from './accounts/people/member-routes.ts';
import { ownEndpoints } from './accounts/people/own-routes.ts';
import { sessionEndpoints } from './accounts/people/routes.ts';
import { challengeEndpoints } from './reader/challenge/routes.ts';
import { type Endpoint, type Permission, permissionOf } from './platform/http/endpoint.ts';
import { healthEndpoints, openApiEndpoints, metricsEndpoints } from './platform/http/operations.ts';
import { agentEndpoints } from './agent/api/routes.ts';
import { sessionJobEndpoints } from './agent/api/v1-routes.ts';
import { completionEndpoints, completionPaths } from './reader/ask/chat-completions/routes.ts';
import { mcpEndpoints } from './reader/ask/mcp/routes.ts';
import { assistantEndpoints } from './reader/ask/routes.ts';
import { streamEndpoints } from './reader/stream/routes.ts';
import { webhookEndpoints } from './notify/webhooks/webhooks.ts';
import { readerJobEndpoints } from './reader/analytics/jobs/routes.ts';
import { overviewEndpoints } from './reader/analytics/overview-routes.ts';
import { analyticsEndpoints, feedbackEndpoints } from './reader/analytics/routes.ts';
import { playgroundEndpoints } from './reader/ask/playground-routes.ts';
import { automationEndpoints } from './agent/automations/routes.ts';
import { jobListEndpoints } from './agent/api/job-list-routes.ts';
import { pullEndpoints } from './agent/pulls/routes.ts';
import { talkEndpoints } from './agent/talk/routes.ts';
import { connectEndpoints } from './agent/connect/routes.ts';
import { shareEndpoints } from './agent/shares/routes.ts';
import { handOverEndpoints } from './reader/hand-over/hand-over.ts';
import { wordEndpoints } from './reader/words/routes.ts';
import { searchEndpoints } from './reader/search/search-docs.ts';

export { completionEndpoints, completionPaths, healthEndpoints };

/** Behind the gate of the dashboard. */
export const apiEndpoints: readonly Endpoint<Services>[] = [
  ...assistantEndpoints,
  ...streamEndpoints,
  ...mcpEndpoints,
  ...challengeEndpoints,
  ...searchEndpoints,
  ...indexEndpoints,
  ...webhookEndpoints,
  ...auditEndpoints,
  ...keyEndpoints,
  ...sessionEndpoints,
  ...ownEndpoints,
  ...memberEndpoints,
  ...invitationEndpoints,
  ...feedbackEndpoints,
  ...playgroundEndpoints,
  ...wordEndpoints,
  ...handOverEndpoints,
  ...overviewEndpoints,
  ...analyticsEndpoints,
  ...readerJobEndpoints,
  ...agentEndpoints,
  ...sessionJobEndpoints,
  ...jobListEndpoints,
  ...pullEndpoints,
  ...talkEndpoints,
  ...connectEndpoints,
  ...automationEndpoints,
  ...shareEndpoints,
  ...ownerEndpoints,
  ...openApiEndpoints,
  ...metricsEndpoints,
];

export const endpoints: readonly Endpoint[] = [
  ...healthEndpoints,
  ...completionEndpoints,
  ...apiEndpoints,
];

/** What admin endpoints require, by their names, in the order of their paths. */
export const permissions: Readonly<Record<string, Permission>> = Object.fromEntries(
  endpoints
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap((endpoint) => {
      const permission = permissionOf(endpoint);
      return permission ? [[endpoint.name, permission]] : [];
    }),
);

/** The endpoints that a role may use. */
export const permittedTo = (role: Role): string[] =>
  Object.entries(permissions)
    .filter(([, { role: least }]) => isAtLeast(role, least))
    .map(([name]) => name);
