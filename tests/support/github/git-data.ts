/** The Git Data API: blobs, trees, commits and refs, written into the repository on disk. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { type Answer, type Asked, created, notFound, ok, Refusal, text } from './answers.ts';
import { readRef } from '../read-ref.ts';
import { git, GitFailure, line } from './git.ts';
import type { HostedRepository } from './repository.ts';

/** Answers a path below `/repos/{owner}/{name}`; `undefined`: none of these. */
export async function gitDataRoute(
  asked: Asked,
  repository: HostedRepository,
  path: string,
): Promise<Answer | undefined> {
  const { method } = asked;
  const folder = repository.docs.path;
  const [, read] = /^\/git\/ref\/(heads\/.+)$/.exec(path) ?? [];
  if (method === 'GET' && read !== undefined) return answerRef(folder, read);
  if (method === 'POST' && path === '/git/refs') return createRef(asked, repository);
  const [, moved] = /^\/git\/refs\/(heads\/.+)$/.exec(path) ?? [];
  if (method === 'PATCH' && moved !== undefined) {
    return moveRef(asked, repository, moved);
  }
  const [, commit] = /^\/git\/commits\/([\da-f]{40})$/.exec(path) ?? [];
  if (method === 'GET' && commit !== undefined) {
    const tree = await line(folder, 'rev-parse', '--verify', '--quiet', `${commit}^{tree}`);
    if (tree === undefined) throw notFound();
    return ok({ sha: commit, tree: { sha: tree } });
  }
  if (method === 'POST' && path === '/git/blobs') {
    const encoding = asked.body['encoding'] === 'base64' ? 'base64' : 'utf8';
    const content = Buffer.from(text(asked.body, 'content'), encoding);
    const sha = await hash(folder, content);
    return created({ sha });
  }
  if (method === 'POST' && path === '/git/trees') return writeTree(asked, folder);
  if (method === 'POST' && path === '/git/commits') return writeCommit(asked, folder);
  const [, from, until] = /^\/compare\/(.+)\.\.\.(.+)$/.exec(path) ?? [];
  if (method === 'GET' && from !== undefined && until !== undefined) {
    return compare(asked, folder, from, until);
  }
  return undefined;
}

/** As `git hash-object -w` does it, without a process for each file. */
async function hash(folder: string, content: Buffer): Promise<string> {
  const object = Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]);
  const sha = createHash('sha1').update(object).digest('hex');
  const place = join(folder, 'objects', sha.slice(0, 2));
  await mkdir(place, { recursive: true });
  await writeFile(join(place, sha.slice(2)), deflateSync(object));
  return sha;
}

async function answerRef(folder: string, ref: string): Promise<Answer> {
  const sha = await readRef(folder, `refs/${ref}`);
  if (sha !== undefined) return ok({ ref: `refs/${ref}`, object: { sha, type: 'commit' } });
  if ((await line(folder, 'for-each-ref', '--count=1')) === undefined) {
    throw new Refusal(409, 'Git Repository is empty.');
  }
  throw notFound();
}

function assertFree({ restricted }: HostedRepository, ref: string, what: string): void {
  if (restricted.some((prefix) => ref.startsWith(`refs/heads/${prefix}`))) {
    throw new Refusal(422, `Repository rule violations found\n\n${what}\n\n`);
  }
}

async function createRef(asked: Asked, repository: HostedRepository): Promise<Answer> {
  const folder = repository.docs.path;
  const ref = text(asked.body, 'ref');
  const sha = text(asked.body, 'sha');
  assertFree(repository, ref, 'Cannot create ref due to creations being restricted.');
  if ((await line(folder, 'cat-file', '-t', sha)) !== 'commit') {
    throw new Refusal(422, 'Object does not exist');
  }
  try {
    await git(folder, ['update-ref', ref, sha, '0'.repeat(40)]);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    const isThere = (await readRef(folder, ref)) !== undefined;
    throw new Refusal(
      422,
      isThere ? 'Reference already exists' : `${ref} is not a valid ref name.`,
    );
  }
  return created({ ref, object: { sha, type: 'commit' } });
}

async function moveRef(asked: Asked, repository: HostedRepository, ref: string): Promise<Answer> {
  const folder = repository.docs.path;
  const sha = text(asked.body, 'sha');
  const now = await readRef(folder, `refs/${ref}`);
  if (now === undefined) throw new Refusal(422, 'Reference does not exist');
  assertFree(repository, `refs/${ref}`, 'Changes must be made through a pull request.');
  if (asked.body['force'] === true) throw new Error('A test saw a forced push');
  const isForward = await git(folder, ['merge-base', '--is-ancestor', now, sha]).then(
    () => true,
    () => false,
  );
  if (!isForward) throw new Refusal(422, 'Update is not a fast forward');
  await git(folder, ['update-ref', `refs/${ref}`, sha, now]);
  return ok({ ref: `refs/${ref}`, object: { sha, type: 'commit' } });
}

interface TreeItem {
  path: string;
  mode: string;
  sha?: string | null;
  content?: string;
}

async function writeTree(asked: Asked, folder: string): Promise<Answer> {
  const index = join(tmpdir(), `docent-github-${randomUUID()}`);
  const items = asked.body['tree'] as TreeItem[];
  const base = asked.body['base_tree'] as string | undefined;
  try {
    await git(folder, ['read-tree', ...(base === undefined ? ['--empty'] : [base])], { index });
    const lines: string[] = [];
    const named: string[] = [];
    for (const { path, mode, sha, content } of items) {
      if (path.startsWith('/') || path.split('/').some((part) => /^(\.git|\.\.?|)$/i.test(part))) {
        throw new Refusal(422, 'tree.path contains a malformed path component');
      }
      if (sha === null) {
        const there = await git(folder, ['ls-files', '--', path], { index });
        if (there.length === 0) throw new Refusal(422, 'GitRPC::BadObjectState');
        lines.push(`0 ${'0'.repeat(40)}\t${path}`);
      } else {
        const oid = sha ?? (await hash(folder, Buffer.from(content ?? '')));
        if (sha !== undefined) named.push(sha);
        lines.push(`${mode} ${oid}\t${path}`);
      }
    }
    if (named.length > 0) {
      const checked = await git(folder, ['cat-file', '--batch-check=%(objecttype)'], {
        input: named.map((sha) => `${sha}\n`).join(''),
      });
      const types = checked.toString().trimEnd().split('\n');
      if (types.some((type) => type !== 'blob')) {
        throw new Refusal(422, 'GitRPC::BadObjectState');
      }
    }
    await git(folder, ['update-index', '--replace', '-z', '--index-info'], {
      index,
      input: lines.map((each) => `${each}\0`).join(''),
    });
    const sha = (await git(folder, ['write-tree'], { index })).toString().trim();
    return created({ sha });
  } finally {
    await rm(index, { force: true });
  }
}

async function writeCommit(asked: Asked, folder: string): Promise<Answer> {
  const parents = (asked.body['parents'] ?? []) as string[];
  const tree = text(asked.body, 'tree');
  if ((await line(folder, 'cat-file', '-t', tree)) !== 'tree') {
    throw new Refusal(422, 'Tree SHA does not exist');
  }
  const sha = await git(
    folder,
    ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])],
    {
      input: text(asked.body, 'message'),
      author: asked.body['author'] as { name: string; email: string },
    },
  );
  return created({ sha: sha.toString().trim(), tree: { sha: tree } });
}

async function compare(asked: Asked, folder: string, from: string, until: string): Promise<Answer> {
  for (const one of [from, until]) {
    if ((await line(folder, 'cat-file', '-t', one)) !== 'commit') throw notFound();
  }
  const base = await line(folder, 'merge-base', from, until);
  if (base === undefined) {
    throw new Refusal(404, `No common ancestor between ${from} and ${until}.`);
  }
  const size = Math.min(Number(asked.query.get('per_page') ?? 250), 250);
  const page = Number(asked.query.get('page') ?? 1);
  const listed = await git(folder, [
    'log',
    '--topo-order',
    '--reverse',
    '-z',
    '--format=%H%n%an%n%B',
    `${from}..${until}`,
  ]);
  const commits = listed
    .toString()
    .split('\0')
    .filter(Boolean)
    .map((entry) => {
      const [sha = '', name = '', ...message] = entry.split('\n');
      return { sha, commit: { message: message.join('\n').trimEnd(), author: { name } } };
    });
  return ok({
    merge_base_commit: { sha: base },
    ahead_by: commits.length,
    total_commits: commits.length,
    commits: commits.slice((page - 1) * size, page * size),
    files: [],
  });
}
