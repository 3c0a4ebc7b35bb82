import type { RequestHandler } from 'express';
import type { Config } from '../config/schema.ts';
import { DocentError } from '../errors.ts';

/** The dashboard's pages, and what signs people in. The rest needs a key, or a session that this gives. */
const isOfPeople = /^\/($|(dashboard|v1\/(session|setup|invitation))(\/|$))/i;

/**
 * Closes the dashboard where it's switched off, and on the public port if it has a port of its own. There,
 * no session counts: the cookie is taken from the request.
 */
export function createDashboardGate({
  config,
  state,
}: {
  config: Pick<Config, 'dashboard'>;
  state: { dashboardPort: number | undefined };
}): RequestHandler {
  const { enabled } = config.dashboard;
  return function dashboardGate(request, _response, next) {
    const { dashboardPort } = state;
    const isItsPort = dashboardPort === undefined || request.socket.localPort === dashboardPort;
    if (!enabled || !isItsPort) {
      if (isOfPeople.test(request.path)) {
        throw new DocentError('not_found', 'There is nothing at this path.');
      }
      delete request.headers.cookie;
    }
    next();
  };
}
