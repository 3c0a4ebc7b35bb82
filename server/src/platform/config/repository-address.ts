import { isLoopback } from '../network/loopback.ts';
import { trimEndOf } from '../text.ts';

/** The address of a repository. */
export interface RepositoryAddress {
  owner: string;
  name: string;
  /** Without the `.git` at the end: `https://github.com/acme/docs`. */
  url: string;
  /** The address of the REST API. */
  apiUrl: string;
}

/** `https://…`, `ssh://…`, `git@github.com:…`; anything else is a path. */
export const isAddress = (repository: string): boolean =>
  /^([a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:)/i.test(repository);

/**
 * Reads `https://host/owner/name`, with or without `.git`, or `git@host:owner/name`. Otherwise returns the
 * mistake as the end of a sentence.
 */
export function readRepositoryAddress(
  address: string,
  apiUrl?: string,
): RepositoryAddress | { mistake: string } {
  const scp = /^[\w.-]+@([\w.-]+):(.+)$/.exec(address);
  const text = scp
    ? `https://${scp[1]}/${scp[2]}`
    : address.replace(/^ssh:\/\/[^/@]*@?/, 'https://');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const example = 'write it as "https://github.com/acme/docs"';
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return { mistake: `is not an address of a repository; ${example}` };
  }
  if (url.username !== '' || url.password !== '') {
    return {
      mistake:
        'contains a username or password; name the variable of a token in "github.tokenEnv" instead',
    };
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return {
      mistake: 'must begin with https://; a token could be read on its way to a host over http',
    };
  }
  const [, owner, name] = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url.pathname) ?? [];
  if (owner === undefined || name === undefined) {
    return { mistake: `must name an owner and a repository; ${example}` };
  }
  if (apiUrl?.startsWith('http:') && !isLoopback(new URL(apiUrl).hostname)) {
    return { mistake: 'has a "github.apiUrl" over http, which would show the token; use https://' };
  }
  return {
    owner,
    name,
    url: `${url.origin}/${owner}/${name}`,
    apiUrl: trimEndOf(apiUrl ?? apiOf(url), '/'),
  };
}

/** GitHub has three kinds: its cloud, a company's part of it, and a company's own server. */
function apiOf({ origin, hostname, host }: URL): string {
  if (hostname === 'github.com' || hostname === 'www.github.com') return 'https://api.github.com';
  if (hostname.endsWith('.ghe.com')) return `https://api.${host}`;
  return `${origin}/api/v3`;
}
