/** Accounts of people who use the dashboard: what its session endpoints take and answer. Not in the service document. */
import { z } from 'zod';
import { roles } from './roles.ts';

export { isAtLeast, type Role, roles } from './roles.ts';

export const passwordMinCharacters = 12;
const passwordMaxCharacters = 256;

export const Email = z.string().trim().toLowerCase().max(254).pipe(z.email());
export const PersonName = z.string().trim().min(1).max(100);
/** Any text, so that a wrong one is refused as wrong and not as malformed. */
const GivenPassword = z.string().min(1).max(passwordMaxCharacters);
export const NewPassword = z.string().min(passwordMinCharacters).max(passwordMaxCharacters);

export const SetupRequest = z.strictObject({
  token: z.string().min(1).max(100),
  email: Email,
  name: PersonName,
  password: NewPassword,
});
export type SetupRequest = z.output<typeof SetupRequest>;

export const SignInRequest = z.strictObject({
  email: z.string().max(254),
  password: GivenPassword,
});

export const SwitchRequest = z.strictObject({ organization: z.string().min(1) });

export const PasswordRequest = z.strictObject({ current: GivenPassword, password: NewPassword });

export const CodeRequest = z.strictObject({ code: z.string().min(1).max(40) });

/** For changes of the second factor. People without a password leave it out. */
export const PasswordAndCodeRequest = z.strictObject({
  password: GivenPassword.optional(),
  code: z.string().min(1).max(40),
});
export type PasswordAndCodeRequest = z.output<typeof PasswordAndCodeRequest>;

/** Where passwords are switched off, a link needs none. */
export const LinkRequest = z.strictObject({
  token: z.string().min(1).max(100),
  password: NewPassword.optional(),
});

export const NewSecondFactor = z.object({
  /** In base32, for typing. */
  secret: z.string(),
  /** `otpauth://…`, for a QR code. */
  uri: z.string(),
});

/** Shown once. */
export const RecoveryCodesReply = z.object({ recoveryCodes: z.array(z.string()) });

/**
 * `setup`: there is no account yet. `second-factor`: the password was right, and a code is missing.
 * `enroll-second-factor`: the service requires a second factor that this person hasn't set up.
 */
export const sessionStates = [
  'setup',
  'signed-out',
  'second-factor',
  'enroll-second-factor',
  'signed-in',
] as const;
export type SessionState = (typeof sessionStates)[number];

export const SessionReply = z.object({
  state: z.enum(sessionStates),
  person: z
    .object({
      id: z.string(),
      email: z.string(),
      name: z.string(),
      hasPassword: z.boolean(),
      hasSecondFactor: z.boolean(),
    })
    .optional(),
  /** The organization that the session is in. */
  organization: z.string().optional(),
  organizations: z.array(z.object({ name: z.string(), role: z.enum(roles) })).optional(),
  role: z.enum(roles).optional(),
  /** The endpoints that the role may use: `GET /v1/audit`. */
  permissions: z.array(z.string()).optional(),
  signIn: z.object({
    password: z.boolean(),
    openId: z.object({ name: z.string(), url: z.string() }).nullable(),
  }),
  version: z.string(),
});
export type SessionReply = z.output<typeof SessionReply>;

/** A signed-in browser, as its owner sees it. */
export const SessionInfo = z.object({
  id: z.string(),
  isCurrent: z.boolean(),
  createdAt: z.string(),
  lastUsedAt: z.string(),
  expiresAt: z.string(),
  /** The address and the browser at sign-in. */
  address: z.string(),
  userAgent: z.string(),
});
export type SessionInfo = z.output<typeof SessionInfo>;

export const SessionsReply = z.object({ sessions: z.array(SessionInfo) });
