/**
 * What each admin endpoint requires: the least role of a person who is signed in, and the scope of an
 * admin key. This is the only list: the endpoints check it (`http/require-access.ts`), and the OpenAPI
 * document, the dashboard, and the documentation show it. Other endpoints take assistant keys or are
 * public.
 */
import { isAtLeast, type Role } from '@docent/shared/people';

export interface Permission {
  role: Role;
  /** Undefined: not for keys, because it's about the person who is signed in. */
  scope: 'read' | 'write' | undefined;
  /** Also for people who have yet to set up the second factor that the service requires. */
  isForEnrollment?: boolean;
}

const viewerReads: Permission = { role: 'viewer', scope: 'read' };
const adminReads: Permission = { role: 'admin', scope: 'read' };
const editorWrites: Permission = { role: 'editor', scope: 'write' };
const adminWrites: Permission = { role: 'admin', scope: 'write' };
/** A key that could change people could make an owner of its bearer. */
const adminInPerson: Permission = { role: 'admin', scope: undefined };
const oneself: Permission = { role: 'viewer', scope: undefined };
const enrollment: Permission = { ...oneself, isForEnrollment: true };

/** By method and path, as in the OpenAPI document. */
export const permissions: Readonly<Record<string, Permission>> = {
  'GET /v1/analytics/{domain}': viewerReads,
  'GET /v1/analytics/{domain}/assistant': viewerReads,
  'GET /v1/analytics/{domain}/assistant/{id}': viewerReads,
  'GET /v1/analytics/{domain}/feedback': viewerReads,
  'GET /v1/analytics/{domain}/feedback/by-page': viewerReads,
  'GET /v1/analytics/{domain}/unanswered': viewerReads,
  'POST /v1/analytics/{domain}/unanswered/job': editorWrites,
  'POST /v1/gaps/{domain}': editorWrites,
  'GET /v1/feedback/{domain}/{id}': viewerReads,
  'PATCH /v1/feedback/{domain}/{id}': editorWrites,
  'POST /v1/feedback/{domain}/{id}/job': editorWrites,
  'POST /v1/readers/{domain}/forget': adminWrites,
  'POST /v1/playground/{domain}': editorWrites,
  'GET /v1/index/{domain}': viewerReads,
  'POST /v1/index/{domain}': editorWrites,
  'GET /v2/agent/{projectId}/jobs': viewerReads,
  'POST /v2/agent/{projectId}/job': editorWrites,
  'GET /v2/agent/{projectId}/job/{id}': viewerReads,
  'DELETE /v2/agent/{projectId}/job/{id}': editorWrites,
  'POST /v2/agent/{projectId}/job/{id}/message': editorWrites,
  'POST /v2/agent/{projectId}/job/{id}/cancel': editorWrites,
  'POST /v2/agent/{projectId}/job/{id}/archive': editorWrites,
  'GET /v2/agent/{projectId}/job/{id}/events': viewerReads,
  'GET /v2/agent/{projectId}/job/{id}/diff': viewerReads,
  'GET /v1/agent/{projectId}/jobs': viewerReads,
  'POST /v1/agent/{projectId}/job': editorWrites,
  'GET /v1/agent/{projectId}/job/{id}': viewerReads,
  'GET /v2/agent/{projectId}/webhooks': viewerReads,
  'POST /v2/agent/{projectId}/webhooks/{deliveryId}/replay': editorWrites,
  'GET /v1/webhooks': viewerReads,
  'GET /v1/projects': viewerReads,
  'GET /v1/jobs': viewerReads,
  'GET /v1/shares': viewerReads,
  'POST /v1/shares': editorWrites,
  'DELETE /v1/shares/{id}': editorWrites,
  'GET /v1/overview': viewerReads,
  'GET /v1/usage': viewerReads,
  'GET /v1/sites': viewerReads,
  'GET /v1/sites/{domain}': viewerReads,
  'POST /v1/sites/{domain}/tag': editorWrites,
  'POST /v1/sites/{domain}/check': editorWrites,
  'GET /v1/sites/{domain}/settings': viewerReads,
  'PATCH /v1/sites/{domain}/settings': adminWrites,
  'GET /v1/settings': adminReads,
  'GET /v1/health': adminReads,
  'POST /v1/health/model': adminWrites,
  'GET /v1/audit': adminReads,
  'GET /v1/keys': adminReads,
  'POST /v1/keys': adminWrites,
  'POST /v1/keys/{id}/rotate': adminWrites,
  'POST /v1/keys/{id}/revoke': adminWrites,
  'GET /v1/people': adminReads,
  'PATCH /v1/people/{id}': adminInPerson,
  'DELETE /v1/people/{id}': adminInPerson,
  'DELETE /v1/people/{id}/sessions': adminInPerson,
  'GET /v1/invitations': adminReads,
  'POST /v1/invitations': adminInPerson,
  'DELETE /v1/invitations/{id}': adminInPerson,
  'PATCH /v1/session': oneself,
  'GET /v1/people/me/sessions': oneself,
  'DELETE /v1/people/me/sessions': oneself,
  'DELETE /v1/people/me/sessions/{id}': oneself,
  'POST /v1/people/me/password': oneself,
  'POST /v1/people/me/second-factor': enrollment,
  'POST /v1/people/me/second-factor/confirm': enrollment,
  'POST /v1/people/me/second-factor/recovery-codes': oneself,
  'DELETE /v1/people/me/second-factor': oneself,
};

/** The endpoints that a role may use. */
export const permittedTo = (role: Role): string[] =>
  Object.entries(permissions)
    .filter(([, { role: least }]) => isAtLeast(role, least))
    .map(([endpoint]) => endpoint);
