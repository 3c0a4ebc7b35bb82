/** Who uses the dashboard. The pages and their actions follow `permissions`. */
import { signal } from '@preact/signals';

export interface Session {
  state: 'setup' | 'signed-out' | 'second-factor' | 'enroll-second-factor' | 'signed-in';
  person?: {
    id: string;
    email: string;
    name: string;
    hasPassword: boolean;
    hasSecondFactor: boolean;
  };
  organization?: string;
  organizations?: { name: string; role: Role }[];
  role?: Role;
  /** The endpoints that this person may use: `POST /v1/keys`. */
  permissions?: string[];
  signIn: { password: boolean; openId: null | { name: string; url: string } };
  version: string;
}

export type Role = 'viewer' | 'editor' | 'admin' | 'owner';

/** `undefined` until the server has answered. */
export const session = signal<Session | undefined>(undefined);

/** Whether this person may use an endpoint: `can('POST /v1/keys')`. Hide the actions that they can't use. */
export const can = (permission: string): boolean =>
  session.value?.permissions?.includes(permission) ?? false;
