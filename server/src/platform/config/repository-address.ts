import { isLoopback } from '../network/addresses.ts';
import { trimEndOf } from '../text.ts';

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

/** The address of a repository at any host, split into the names of its path. */
interface RepositoryUrl {
  url: URL;
  /** At least two, without the `.git` at the end. */
  names: readonly string[];
}

/**
 * Reads `https://host/owner/name`, with or without `.git`, or `git@host:owner/name`. Otherwise returns the
 * mistake as the end of a sentence.
 */
function readUrl(address: string): RepositoryUrl | { mistake: string } {
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
        'contains a username or password; name the variable of a token in "tokenEnv" instead',
    };
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return {
      mistake: 'must begin with https://; a token could be read on its way to a host over http',
    };
  }
  const names = trimEndOf(url.pathname, '/')
    .replace(/\.git$/, '')
    .split('/')
    .slice(1);
  if (names.length < 2 || !names.every((one) => /^[\w.+-]+$/.test(one))) {
    return { mistake: `must name an owner and a repository; ${example}` };
  }
  return { url, names };
}

/** The address of a repository for browsers; `undefined`: it's none. */
export function repositoryPage(address: string): string | undefined {
  const read = readUrl(address);
  return 'mistake' in read ? undefined : `${read.url.origin}/${read.names.join('/')}`;
}

export interface Hosted {
  github?: { apiUrl?: string | undefined } | undefined;
  gitea?: object | undefined;
  gitlab?: { url?: string | undefined } | undefined;
}

/** At the host that the project names; without one, that's GitHub. */
export function readProjectAddress({
  repository,
  github,
  gitea,
  gitlab,
}: Hosted & { repository: string }): RepositoryAddress | { mistake: string } {
  const read = readUrl(repository);
  if ('mistake' in read) return read;
  if (gitea) return atGitea(read);
  if (gitlab) return atGitLab(read, gitlab.url ?? read.url.origin);
  return atGitHub(read, github?.apiUrl ?? apiOf(read.url));
}

function atGitHub(
  { url, names }: RepositoryUrl,
  apiUrl: string,
): RepositoryAddress | { mistake: string } {
  const [owner = '', name = ''] = names;
  if (names.length > 2) {
    return {
      mistake:
        'must name an owner and a repository; write it as "https://github.com/acme/docs". For another host, set "gitea" or "gitlab" instead of "github"',
    };
  }
  if (apiUrl.startsWith('http:') && !isLoopback(new URL(apiUrl).hostname)) {
    return { mistake: 'has a "github.apiUrl" over http, which would show the token; use https://' };
  }
  return { owner, name, url: `${url.origin}/${owner}/${name}`, apiUrl: trimEndOf(apiUrl, '/') };
}

/** Gitea and Forgejo may be below a path: the last two names are the repository's. */
function atGitea({ url, names }: RepositoryUrl): RepositoryAddress {
  const [owner = '', name = ''] = names.slice(-2);
  const root = [url.origin, ...names.slice(0, -2)].join('/');
  return { owner, name, url: `${root}/${owner}/${name}`, apiUrl: `${root}/api/v1` };
}

/** `owner` may have several names: `group/subgroup`. GitLab itself may be below a path. */
function atGitLab(
  { url: { origin }, names: all }: RepositoryUrl,
  home: string,
): RepositoryAddress | { mistake: string } {
  const url = `${origin}/${all.join('/')}`;
  const names = url.startsWith(`${home}/`) ? url.slice(home.length + 1).split('/') : [];
  if (names.length < 2) {
    return { mistake: `must be below "gitlab.url" (${home}), and name a group and a project` };
  }
  const name = names.at(-1) ?? '';
  return { owner: names.slice(0, -1).join('/'), name, url, apiUrl: `${home}/api/v4` };
}

/** GitHub has three kinds: its cloud, a company's part of it, and a company's own server. */
export function apiOf({ origin, hostname, host }: URL): string {
  if (hostname === 'github.com' || hostname === 'www.github.com') return 'https://api.github.com';
  if (hostname.endsWith('.ghe.com')) return `https://api.${host}`;
  return `${origin}/api/v3`;
}

/**
 * What is wrong with the name of a branch; `undefined` if it's valid. These are the rules of
 * `git check-ref-format --branch`, plus names that hosts or people mistake for something else.
 */
export function branchNameMistake(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (Buffer.byteLength(name) > 200) return 'is longer than 200 bytes';
  // oxlint-disable-next-line no-control-regex -- exactly these are refused
  if (/[\u0000-\u0020\u007f~^:?*[\\]/.test(name)) {
    return 'contains a space, a control character, or one of ~ ^ : ? * [ \\';
  }
  if (!name.isWellFormed() || /[\p{Cf}\p{Cc}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(name)) {
    return 'contains an invisible character';
  }
  if (name.includes('..')) return 'holds ".."';
  if (name.includes('@{')) return 'holds "@{"';
  if (/^\/|\/$|\/\//.test(name)) return 'has an empty part before, between, or after "/"';
  if (/(^|\/)\./.test(name)) return 'has a part that begins with "."';
  if (name.endsWith('.')) return 'ends with "."';
  if (/\.lock(\/|$)/i.test(name)) return 'has a part that ends with ".lock"';
  if (name.startsWith('-')) return 'begins with "-"';
  if (name === '@' || /^HEAD$/i.test(name)) return 'has a special meaning in git';
  if (/^refs\//i.test(name)) return 'begins with "refs/"; write the branch alone';
  // GitHub refuses these, because they look like a commit.
  if (/^[\da-f]{40}(?:[\da-f]{24})?$/i.test(name)) return 'looks like a commit';
  return undefined;
}
