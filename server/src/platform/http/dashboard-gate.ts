import type { Request, RequestHandler } from 'express';
import type { Config } from '../config/schema.ts';
import { nothingThere } from './method-not-allowed.ts';

/**
 * The dashboard's pages, and what signs people in. The rest needs a key, or a session that this gives; shared
 * links need the dashboard's files.
 */
const isOfPeople = /^\/($|(dashboard(?!\/assets\/)|v1\/(session|setup|invitation))(\/|$))/i;

export interface GateDeps {
  config: { dashboard: Pick<Config['dashboard'], 'enabled'> };
  state: { dashboardPort: number | undefined };
}

/** Whether the dashboard is there for a request, and sessions count. */
export function hasDashboard({ config, state }: GateDeps, request: Request): boolean {
  const { dashboardPort } = state;
  const isItsPort = dashboardPort === undefined || request.socket.localPort === dashboardPort;
  return config.dashboard.enabled && isItsPort;
}

/**
 * Closes the dashboard where it's switched off, and on the public port if it has a port of its own. There,
 * no session counts: the cookie is taken from the request.
 */
export function createDashboardGate(deps: GateDeps): RequestHandler {
  return function dashboardGate(request, _response, next) {
    if (!hasDashboard(deps, request)) {
      if (isOfPeople.test(request.path)) {
        throw nothingThere();
      }
      delete request.headers.cookie;
    }
    next();
  };
}
