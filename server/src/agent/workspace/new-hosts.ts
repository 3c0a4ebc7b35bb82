/**
 * Hosts that a change brings in. Known is what the owner names, what the same file led to before, what
 * only moves, and what several files led to: one page alone may be the one that wants its link spread.
 */
import type { GuardConfig } from '../../platform/config/guard-config.ts';
import { hostsIn, isListedHost } from './hosts.ts';
import { hostsBroughtIn, linkedHostsIn } from './linked-hosts.ts';
import { textOf } from './text-file.ts';
import type { DocsFiles, FileChange } from './tree.ts';

const enoughFiles = 2;
const mostListed = 50;
const maxScannedBytes = 256 * 1024 * 1024;
const filesAtOnce = 200;

export interface NewHostsInput {
  changes: readonly FileChange[];
  guard: Pick<GuardConfig, 'hosts'>;
  /** Instructions of somebody with an admin key: what they name themselves is no surprise. */
  trusted: readonly string[];
  /** Addresses of the project itself: its repository, its site. */
  own?: readonly string[] | undefined;
  /** The repository before the change. */
  before: DocsFiles;
  signal?: AbortSignal | undefined;
}

export async function findNewHosts(
  input: NewHostsInput,
): Promise<{ host: string; paths: string[] }[]> {
  const { changes, guard, trusted, own = [], before, signal } = input;
  const known = new Set([...own, ...trusted].flatMap((text) => [...hostsIn(text)]));
  // A host that somebody named without "https://" in their own words.
  const words = trusted.join('\n').toLowerCase();
  const old = new Map(changes.map((change) => [change.path, change.before]));
  const files = changes.map(({ path, before: own, after, from }) => {
    const was = textOf(own ?? (from === undefined ? undefined : old.get(from)));
    return {
      path,
      led: linkedHostsIn(path, textOf(own)),
      ledThere: linkedHostsIn(path, was),
      names: hostsIn(textOf(after)),
      brings: hostsBroughtIn(path, was, textOf(after)),
    };
  });
  const found = new Map<string, string[]>();
  for (const { path, ledThere, brings } of files) {
    for (const host of brings) {
      if (known.has(host) || isListedHost(host, guard.hosts) || isWord(host, words)) continue;
      if (!ledThere.has(host)) found.set(host, [...(found.get(host) ?? []), path]);
    }
  }
  for (const host of found.keys()) {
    // It went from one file into another: there are no more of them than there were.
    const earlier = files.filter((file) => file.led.has(host)).length;
    const now = files.filter((file) => file.names.has(host)).length;
    if (now <= earlier) found.delete(host);
  }
  await dropKnown(found, before, signal);
  return [...found]
    .map(([host, paths]) => ({ host, paths }))
    .toSorted((a, b) => (a.host < b.host ? -1 : 1))
    .slice(0, mostListed);
}

function isWord(host: string, words: string): boolean {
  const at = words.indexOf(host);
  return (
    at >= 0 &&
    !/[a-z0-9.-]/.test(words[at - 1] ?? ' ') &&
    !/[a-z0-9-]/.test(words[at + host.length] ?? ' ')
  );
}

/** Looks through the repository's texts, and only where a host is in question at all. */
async function dropKnown(
  found: Map<string, unknown>,
  before: DocsFiles,
  signal: AbortSignal | undefined,
): Promise<void> {
  const texts = [...before.paths()].filter((path) =>
    /\.(?:mdx?|markdown|html?|rst|adoc|asciidoc|txt|json|ya?ml|toml)$/i.test(path),
  );
  let bytes = 0;
  const seen = new Map<string, number>();
  for (let at = 0; at < texts.length && found.size > 0; at += filesAtOnce) {
    signal?.throwIfAborted();
    for (const [path, content] of await before.read(texts.slice(at, at + filesAtOnce), signal)) {
      bytes += content.length;
      const text = content.toString('latin1').toLowerCase();
      if (![...found.keys()].some((host) => text.includes(host))) continue;
      for (const host of linkedHostsIn(path, textOf(content))) {
        const count = (seen.get(host) ?? 0) + 1;
        seen.set(host, count);
        if (count >= enoughFiles) found.delete(host);
      }
    }
    if (bytes > maxScannedBytes) return;
  }
}
