/** The two kinds of API key. Source: the service document, "Authentication". */
export type KeyKind = 'admin' | 'assistant';

/** The assistant prefix also starts with the admin prefix, so the longer one stands first. */
export const keyPrefixes: readonly (readonly [prefix: string, kind: KeyKind])[] = [
  ['svc_dsc_', 'assistant'],
  ['svc_', 'admin'],
];

/** The kind that a token claims to be by its prefix; `undefined` where it has neither. */
export function keyKind(token: string): KeyKind | undefined {
  return keyPrefixes.find(([prefix]) => token.startsWith(prefix))?.[1];
}
