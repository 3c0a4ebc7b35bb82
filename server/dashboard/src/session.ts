/** Who uses the dashboard. The pages and their actions follow `permissions`. */
import { signal } from '@preact/signals';
import type { SessionReply } from '@docent/shared/people';

/** `undefined` until the server has answered. */
export const session = signal<SessionReply | undefined>(undefined);

/** Whether this person may use an endpoint: `can('POST /v1/keys')`. Hide the actions that they can't use. */
export const can = (permission: string): boolean =>
  session.value?.permissions?.includes(permission) ?? false;
