/** The people of an organization, and invitations. Not in the service document. */
import { z } from 'zod';
import { Actor } from './managed-keys.ts';
import { Email, NewPassword, PersonName, roles } from './people.ts';

const role = z.enum(roles);

export const Member = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role,
  hasSecondFactor: z.boolean(),
  isDisabled: z.boolean(),
  joinedAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime().nullable(),
  /** Browsers that are signed in. */
  sessions: z.number().int(),
});
export type Member = z.output<typeof Member>;

export const MembersResponse = z.object({
  /** By name. */
  people: z.array(Member),
});

export const ChangeRoleRequest = z.strictObject({
  role,
  /** The role that the change is made from. If another administrator was faster, the answer is 409. */
  was: role,
});

export const InviteRequest = z.strictObject({
  role,
  /** Only this address can accept. Without it, whoever has the link. */
  email: Email.optional(),
});

export const Invitation = z.object({
  id: z.string(),
  email: z.string().nullable(),
  role,
  createdAt: z.iso.datetime(),
  createdBy: Actor,
  expiresAt: z.iso.datetime(),
});
export type Invitation = z.output<typeof Invitation>;

export const InvitationsResponse = z.object({
  /** Those that nobody has accepted yet, newest first. */
  invitations: z.array(Invitation),
});

/** The only time that the link is seen. */
export const NewInvitation = z.object({ invitation: Invitation, url: z.string() });
export type NewInvitation = z.output<typeof NewInvitation>;

const token = z.string().min(1).max(100);

export const ReadInvitationRequest = z.strictObject({ token });

/** What the person who opens the link sees. */
export const InvitationPreview = z.object({
  organization: z.string(),
  role,
  email: z.string().nullable(),
  invitedBy: z.string().nullable(),
});
export type InvitationPreview = z.output<typeof InvitationPreview>;

export const AcceptRequest = z.strictObject({
  token,
  /** For a new account. People who are signed in join with the account they have. */
  account: z.strictObject({ email: Email, name: PersonName, password: NewPassword }).optional(),
});
