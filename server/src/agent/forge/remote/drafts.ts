/** Gitea, Forgejo, and GitLab know a draft by the beginning of its title. */

const prefix = /^\s*(?:\[(?:draft|wip)\]|\(draft\)|(?:draft|wip):)\s*/i;

export const isDraftTitle = (title: string): boolean => prefix.test(title);

/** A title without the beginnings that make a draft of it. */
export function plainTitle(title: string): string {
  let plain = title;
  while (prefix.test(plain)) plain = plain.replace(prefix, '');
  return plain;
}
