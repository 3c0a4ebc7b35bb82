import type { Role } from '@docent/shared/roles';

export const roleNames: Record<Role, string> = {
  viewer: 'Viewer',
  editor: 'Editor',
  admin: 'Administrator',
  owner: 'Owner',
};

/** What a role adds to the one before. Each endpoint says which role it needs. */
export const roleWords: Record<Role, string> = {
  viewer: 'Reads everything about readers, sites, and jobs. Changes nothing.',
  editor: 'Starts, answers, and cancels jobs. Indexes sites. Works on feedback and gaps.',
  admin:
    'Creates and revokes API keys. Invites, changes, and removes people up to this role. Reads the audit log. Deletes the data of readers.',
  owner: 'Makes others owners, and changes owners. There is always at least one.',
};
