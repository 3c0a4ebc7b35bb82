/** Who uses the dashboard. The pages and their actions follow `permissions`. */
import { effect, signal } from '@preact/signals';
import type { SessionReply } from '@docent/shared/people';

/** `undefined` until the server has answered. */
export const session = signal<SessionReply | undefined>(undefined);

/** Those of the last person who was signed in: a page below the sign-in screen stays as it is. */
const permissions = signal<readonly string[]>([]);
effect(() => {
  if (session.value?.state === 'signed-in') permissions.value = session.value.permissions ?? [];
});

/** Whether this person may use an endpoint: `can('POST /v1/keys')`. Hide the actions that they can't use. */
export const can = (permission: string): boolean => permissions.value.includes(permission);

/** While something is on the screen that's never shown again, the session isn't asked for. */
export const showsOnce = signal(false);
