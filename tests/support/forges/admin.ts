/** What owners do at a host: with its API, as the command that tries real servers has nothing else. */
import { randomBytes } from 'node:crypto';
import { waitFor } from '../wait-for.ts';

export type ForgeKind = 'gitea' | 'gitlab';

export interface HostAddress {
  kind: ForgeKind;
  /** Where the host is, without a slash at its end. */
  url: string;
  /** May create and delete repositories. */
  token: string;
}

/** A repository that was made for one test. */
export interface AdminOfRepository {
  /** Its address. */
  url: string;
  /** `owner/name` */
  path: string;
  merge(number: number, options?: { deleteBranch?: boolean }): Promise<unknown>;
  close(number: number): Promise<unknown>;
  makeDefault(branch: string): Promise<unknown>;
  /** Changes settings of the repository, in the words of its API. */
  set(change: object): Promise<unknown>;
  remove(): Promise<unknown>;
}

type Answer = Record<string, unknown>;
type Ask = (method: string, path: string, body?: object) => Promise<Answer>;

class HostRefused extends Error {
  readonly status: number;

  constructor(status: number, words: string) {
    super(words);
    this.status = status;
  }
}

function connect({ kind, url, token }: HostAddress): Ask {
  const root = kind === 'gitea' ? `${url}/api/v1` : `${url}/api/v4`;
  return async (method, path, body) => {
    const response = await fetch(root + path, {
      method,
      headers: {
        authorization: kind === 'gitea' ? `token ${token}` : `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new HostRefused(
        response.status,
        `${method} ${path}: ${response.status} ${text.slice(0, 300)}`,
      );
    }
    return /^[[{]/.test(text) ? (JSON.parse(text) as Answer) : {};
  };
}

/** `Gitea 1.25.4` */
export async function readVersion(host: HostAddress): Promise<string> {
  const { version } = await connect(host)('GET', '/version');
  const name =
    host.kind === 'gitlab' ? 'GitLab' : String(version).includes('gitea-') ? 'Forgejo' : 'Gitea';
  return `${name} ${String(version)}`;
}

/** Mergeability is known later: 405 until then. */
const merged = (merge: () => Promise<unknown>) =>
  waitFor('the host to merge', async () => {
    try {
      await merge();
      return true;
    } catch (error) {
      const isEarly = error instanceof HostRefused && [405, 406, 409, 422].includes(error.status);
      if (!isEarly) throw error;
      return false;
    }
  });

const prefix = 'docent-try-';

/** Deletes what a test that broke off has left, and gives back how many there were. */
export async function removeLeftovers(host: HostAddress): Promise<number> {
  const ask = connect(host);
  const isGitea = host.kind === 'gitea';
  const listed = (await ask(
    'GET',
    isGitea ? '/user/repos?limit=50' : `/projects?owned=true&search=${prefix}&per_page=100`,
  )) as unknown as Answer[];
  const left = listed.filter(({ name }) => String(name).startsWith(prefix));
  for (const { id, full_name: path } of left) {
    await ask('DELETE', isGitea ? `/repos/${String(path)}` : `/projects/${Number(id)}`);
  }
  return left.length;
}

export async function createRepository(host: HostAddress): Promise<AdminOfRepository> {
  const ask = connect(host);
  const name = `${prefix}${randomBytes(5).toString('hex')}`;
  if (host.kind === 'gitea') {
    const made = await ask('POST', '/user/repos', {
      name,
      private: true,
      default_branch: 'main',
    });
    const path = String(made['full_name']);
    const at = `/repos/${path}`;
    return {
      path,
      // Hosts behind proxies may say another one.
      url: `${host.url}/${path}`,
      async merge(number, { deleteBranch = false } = {}) {
        // Drafts can't be merged.
        const { title } = await ask('GET', `${at}/pulls/${number}`);
        const ready = String(title).replace(/^WIP: /, '');
        if (ready !== title) await ask('PATCH', `${at}/pulls/${number}`, { title: ready });
        const how = { Do: 'merge', delete_branch_after_merge: deleteBranch };
        await merged(() => ask('POST', `${at}/pulls/${number}/merge`, how));
      },
      close: (number) => ask('PATCH', `${at}/pulls/${number}`, { state: 'closed' }),
      makeDefault: (branch) => ask('PATCH', at, { default_branch: branch }),
      set: (change) => ask('PATCH', at, change),
      remove: () => ask('DELETE', at),
    };
  }
  const made = await ask('POST', '/projects', { name, visibility: 'private' });
  const path = String(made['path_with_namespace']);
  const at = `/projects/${Number(made['id'])}`;
  return {
    path,
    url: `${host.url}/${path}`,
    async merge(number, { deleteBranch = false } = {}) {
      const one = `${at}/merge_requests/${number}`;
      const { title } = await ask('GET', one);
      const ready = String(title).replace(/^Draft: /, '');
      if (ready !== title) await ask('PUT', one, { title: ready });
      await merged(() => ask('PUT', `${one}/merge`, { should_remove_source_branch: deleteBranch }));
    },
    close: (number) => ask('PUT', `${at}/merge_requests/${number}`, { state_event: 'close' }),
    makeDefault: (branch) => ask('PUT', at, { default_branch: branch }),
    set: (change) => ask('PUT', at, change),
    remove: () => ask('DELETE', at),
  };
}
