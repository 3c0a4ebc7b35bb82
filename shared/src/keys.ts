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

/**
 * What a key may do, by its kind. A key that names no scope may do all that its kind may. The service
 * document knows the two kinds only; scopes are ours.
 */
export const keyScopes = {
  /** Asking and all that belongs to an answer; search and page; the Model Context Protocol. */
  assistant: ['assistant', 'search', 'mcp'],
  /** Reading what is stored and what goes on; starting, changing and deleting. */
  admin: ['read', 'write'],
} as const satisfies Record<KeyKind, readonly string[]>;

export type KeyScope = (typeof keyScopes)[KeyKind][number];

/** The kind of key that a scope belongs to. */
export function kindOfScope(scope: KeyScope): KeyKind {
  return keyScopes.admin.some((each) => each === scope) ? 'admin' : 'assistant';
}
