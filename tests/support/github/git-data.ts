/** The Git Data API: blobs, trees, commits and refs, written into the repository on disk. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
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
    const tree = await treeOf(folder, commit);
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
  if (method === 'GET' && path === '/commits') {
    const before = `--before=${asked.query.get('until') ?? ''}`;
    const sha = await line(folder, 'rev-list', '-1', before, asked.query.get('sha') ?? 'HEAD');
    return { status: 200, body: sha ? [{ sha }] : [] };
  }
  return undefined;
}

/** As `git hash-object -w` does it, without a process for each object. */
async function hash(folder: string, content: Buffer, type = 'blob'): Promise<string> {
  const object = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const sha = createHash('sha1').update(object).digest('hex');
  const place = join(folder, 'objects', sha.slice(0, 2));
  await mkdir(place, { recursive: true });
  await writeFile(join(place, sha.slice(2)), deflateSync(object));
  return sha;
}

/** An object with its header, without a process; `undefined` where it isn't in a file of its own. */
async function readLoose(folder: string, sha: string): Promise<string | undefined> {
  const file = join(folder, 'objects', sha.slice(0, 2), sha.slice(2));
  const object = await readFile(file).catch(() => undefined);
  return object && inflateSync(object).toString('latin1');
}

async function typeOf(folder: string, sha: string): Promise<string | undefined> {
  const loose = await readLoose(folder, sha);
  return loose?.split(' ')[0] ?? line(folder, 'cat-file', '-t', sha);
}

async function treeOf(folder: string, commit: string): Promise<string | undefined> {
  const loose = (await readLoose(folder, commit)) ?? '';
  return (
    /^commit \d+\0tree ([\da-f]{40})/.exec(loose)?.[1] ??
    line(folder, 'rev-parse', '--verify', '--quiet', `${commit}^{tree}`)
  );
}

async function answerRef(folder: string, ref: string): Promise<Answer> {
  const sha = await readRef(folder, `refs/${ref}`);
  if (sha !== undefined) return ok({ ref: `refs/${ref}`, object: { sha, type: 'commit' } });
  // Besides `info` and `pack`.
  if ((await readdir(join(folder, 'objects'))).length === 2) {
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
  if ((await typeOf(folder, sha)) !== 'commit') {
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

/** In one run of `git fast-import`, for a commit that no branch has. */
async function writeTree(asked: Asked, folder: string): Promise<Answer> {
  const items = asked.body['tree'] as TreeItem[];
  const base = asked.body['base_tree'] as string | undefined;
  const lines: string[] = [];
  for (const { path, mode, sha, content } of items) {
    if (path.startsWith('/') || path.split('/').some((part) => /^(\.git|\.\.?|)$/i.test(part))) {
      throw new Refusal(422, 'tree.path contains a malformed path component');
    }
    const name = `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
    if (sha === null) {
      const there = await git(folder, ['ls-tree', '-z', base ?? '', '--', path]);
      if (there.length === 0) throw new Refusal(422, 'GitRPC::BadObjectState');
      lines.unshift(`D ${name}\n`);
    } else {
      if (sha !== undefined && (await typeOf(folder, sha)) !== 'blob') {
        throw new Refusal(422, 'GitRPC::BadObjectState');
      }
      lines.push(`M ${mode} ${sha ?? (await hash(folder, Buffer.from(content ?? '')))} ${name}\n`);
    }
  }
  const unborn = `refs/trees/${randomUUID()}`;
  const written = await git(folder, ['fast-import', '--quiet', '--done'], {
    input: [
      `feature done\ncommit ${unborn}\ncommitter GitHub <noreply@github.test> 0 +0000\ndata 0\n\n`,
      base === undefined ? '' : `M 040000 ${base} ""\n`,
      ...lines,
      `ls ""\n\nreset ${unborn}\nfrom ${'0'.repeat(40)}\n\ndone\n`,
    ].join(''),
  });
  return created({ sha: /^040000 tree ([\da-f]{40})/.exec(written.toString())?.[1] });
}

async function writeCommit(asked: Asked, folder: string): Promise<Answer> {
  const parents = (asked.body['parents'] ?? []) as string[];
  const tree = text(asked.body, 'tree');
  if ((await typeOf(folder, tree)) !== 'tree') {
    throw new Refusal(422, 'Tree SHA does not exist');
  }
  const bot = { name: 'docent[bot]', email: 'docent@github.test' };
  const { name, email } = (asked.body['author'] as typeof bot | undefined) ?? bot;
  const at = `${Math.floor(Date.now() / 1000)} +0000`;
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${name} <${email}> ${at}`,
    `committer GitHub <noreply@github.test> ${at}`,
    '',
    text(asked.body, 'message'),
  ];
  return created({
    sha: await hash(folder, Buffer.from(lines.join('\n')), 'commit'),
    tree: { sha: tree },
  });
}
