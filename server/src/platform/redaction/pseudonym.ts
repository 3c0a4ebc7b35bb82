import { createHash } from 'node:crypto';

/** A caller that does not say who asks. */
export const anonymous = 'anonymous';

/**
 * What is stored of a reader's identifier: a hash, as integrators send account names and e-mail
 * addresses. The same reader has the same one on a site, and another on every other site.
 */
export function pseudonym(fp: string, domain: string): string {
  if (fp === anonymous) return fp;
  return createHash('sha256').update(`${domain}\n${fp}`).digest('base64url');
}
