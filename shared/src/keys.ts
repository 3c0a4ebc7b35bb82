/** The types of API keys. Source: the service document, "Authentication". */
export type KeyKind = 'admin' | 'assistant';

/** The assistant prefix starts with the admin prefix, so the longer one comes first. */
export const keyPrefixes: readonly (readonly [prefix: string, kind: KeyKind])[] = [
  ['svc_dsc_', 'assistant'],
  ['svc_', 'admin'],
];

/** The type of a token, from its prefix. */
export function keyKind(token: string): KeyKind | undefined {
  return keyPrefixes.find(([prefix]) => token.startsWith(prefix))?.[1];
}

/**
 * The scopes of each type of key. A key without scopes has all scopes of its type. Scopes aren't in the
 * service document.
 */
export const keyScopes = {
  /** `assistant`: ask, resume, stop, and rate. `search`: search and read pages. `mcp`: the Model Context Protocol. */
  assistant: ['assistant', 'search', 'mcp'],
  /** `read`: read stored data and status. `write`: create, change, and delete. */
  admin: ['read', 'write'],
} as const satisfies Record<KeyKind, readonly string[]>;

export type KeyScope = (typeof keyScopes)[KeyKind][number];

/** The type of key that a scope belongs to. */
export function kindOfScope(scope: KeyScope): KeyKind {
  return keyScopes.admin.some((each) => each === scope) ? 'admin' : 'assistant';
}
