/** Every endpoint of the service. A test compares them with the routes of Express. */
import { isAtLeast, type Role } from '@docent/shared/people';
import type { Services } from './compose.ts';
import { indexEndpoints } from './docs/indexer/routes.ts';
import { auditEndpoints } from './owner/audit-routes.ts';
import { keyEndpoints } from './accounts/keys/routes.ts';
import { challengeEndpoints } from './platform/challenge/routes.ts';
import { type Endpoint, type Permission, permissionOf } from './platform/http/endpoint.ts';
import { healthEndpoints } from './platform/http/health.ts';
import { agentEndpoints } from './platform/http/openapi/agent-endpoints.ts';
import { ownerEndpoints } from './platform/http/openapi/owner-endpoints.ts';
import { peopleEndpoints } from './platform/http/openapi/people-endpoints.ts';
import { readerEndpoints } from './platform/http/openapi/reader-endpoints.ts';
import { openApiEndpoints } from './platform/http/openapi/routes.ts';
import { metricsEndpoints } from './platform/telemetry/routes.ts';
import { webhookEndpoints } from './notify/webhooks/routes.ts';
import { searchEndpoints } from './reader/search/routes.ts';

export { healthEndpoints };

/** Behind the gate of the dashboard. */
export const apiEndpoints: readonly Endpoint<Services>[] = [
  ...challengeEndpoints,
  ...searchEndpoints,
  ...indexEndpoints,
  ...webhookEndpoints,
  ...auditEndpoints,
  ...keyEndpoints,
  ...openApiEndpoints,
  ...metricsEndpoints,
];

export const endpoints: readonly Endpoint[] = [
  ...healthEndpoints,
  ...apiEndpoints,
  ...readerEndpoints,
  ...agentEndpoints,
  ...ownerEndpoints,
  ...peopleEndpoints,
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
