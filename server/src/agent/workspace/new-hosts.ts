/**
 * Finds the hosts that a change adds. A host is known if the owner names it, if the same file linked to it
 * before, if it only moved, or if at least two files link to it: a single page could be hostile.
 */
import type { GuardConfig } from '../../platform/config/project-config.ts';
import { hostsIn, isListedHost } from './hosts.ts';
import { textOf } from './text-file.ts';
import type { DocsFiles, FileChange } from './tree.ts';
import { isTooMuch } from '../../platform/workers/worker-pool.ts';
import { type RunAgentTask, runAgentTask } from '../run-agent-task.ts';
import type { Node } from '../../docs/markdown/nodes.ts';
import { parseMarkdown } from '../../docs/markdown/parse-markdown.ts';

const minFiles = 2;
const maxListed = 50;
const maxScannedBytes = 256 * 1024 * 1024;
const filesAtOnce = 200;

export interface NewHostsInput {
  changes: readonly FileChange[];
  guard: Pick<GuardConfig, 'hosts'>;
  /** Instructions of callers with an admin key: hosts that they name are expected. */
  trusted: readonly string[];
  /** The project's own addresses: its repository and its site. */
  own?: readonly string[] | undefined;
  before: DocsFiles;
  signal?: AbortSignal | undefined;
  /** Reads files in a worker. Tests give one with other limits. */
  run?: RunAgentTask | undefined;
}

type WorkOptions = Pick<NewHostsInput, 'signal' | 'run'>;

interface ChangedHosts {
  path: string;
  led: ReadonlySet<string>;
  ledThere: ReadonlySet<string>;
  names: ReadonlySet<string>;
  brings: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

export async function findNewHosts(
  input: NewHostsInput,
): Promise<{ host: string; paths: string[] }[]> {
  const { changes, guard, trusted, own = [], before } = input;
  const known = new Set([...own, ...trusted].flatMap((text) => [...hostsIn(text)]));
  // A host that somebody named without "https://" in their own words.
  const words = trusted.join('\n').toLowerCase();
  const old = new Map(changes.map((change) => [change.path, change.before]));
  const files: ChangedHosts[] = [];
  for (const { path, before: own, after, from } of changes) {
    const was = textOf(own ?? (from === undefined ? undefined : old.get(from)));
    const ledThere = await linkedHosts(path, was, input);
    files.push({
      path,
      led: own === undefined ? none : ledThere,
      ledThere,
      names: hostsIn(textOf(after)),
      brings: await hostsBrought(path, was, textOf(after), input),
    });
  }
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
  await dropKnown(found, before, input);
  return [...found]
    .map(([host, paths]) => ({ host, paths }))
    .toSorted((a, b) => (a.host < b.host ? -1 : 1))
    .slice(0, maxListed);
}

function isWord(host: string, words: string): boolean {
  const at = words.indexOf(host);
  return (
    at >= 0 &&
    !/[a-z0-9.-]/.test(words[at - 1] ?? ' ') &&
    !/[a-z0-9-]/.test(words[at + host.length] ?? ' ')
  );
}

/** Searches the repository's texts, only if there are unknown hosts. */
async function dropKnown(
  found: Map<string, unknown>,
  before: DocsFiles,
  options: WorkOptions,
): Promise<void> {
  const { signal } = options;
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
      for (const host of await linkedHosts(path, textOf(content), options)) {
        const count = (seen.get(host) ?? 0) + 1;
        seen.set(host, count);
        if (count >= minFiles) found.delete(host);
      }
    }
    if (bytes > maxScannedBytes) return;
  }
}

/** A page that can't be read makes no host known. */
async function linkedHosts(
  path: string,
  text: string,
  { signal, run = runAgentTask }: WorkOptions,
) {
  if (text === '') return none;
  return run('linkedHosts', { path, text }, { signal }).catch((error: unknown) => {
    if (!isTooMuch(error)) throw error;
    return none;
  });
}

/** A page that can't be read brings every host that it names. */
async function hostsBrought(
  path: string,
  before: string,
  after: string,
  { signal, run = runAgentTask }: WorkOptions,
) {
  if (after === '') return none;
  return run('hostsBrought', { path, before, after }, { signal }).catch((error: unknown) => {
    if (!isTooMuch(error)) throw error;
    return hostsIn(after);
  });
}

export function linkedHostsIn(path: string, text: string): Set<string> {
  return hostsLinkedIn(path, text, false);
}

/**
 * Hosts that a change of a file names anew, or makes a link of. What only stays where it stood, such as
 * an example in a block of code elsewhere on the page, is no news.
 */
export function hostsBroughtIn(path: string, before: string, after: string): Set<string> {
  const found = hostsIn(after);
  if (before === '' || found.size === 0) return found;
  const stays = hostsIn(before);
  const stood = hostsIn(linesOnlyIn(before, after));
  const written = hostsIn(linesOnlyIn(after, before));
  const ledTo = hostsLinkedIn(path, before, true);
  const leadsTo = hostsLinkedIn(path, after, true);
  for (const host of found) {
    const isWritten = written.has(host) && !stood.has(host);
    const isLinked = leadsTo.has(host) && !ledTo.has(host);
    if (stays.has(host) && !isWritten && !isLinked) found.delete(host);
  }
  return found;
}

function linesOnlyIn(text: string, other: string): string {
  const lines = new Set(other.split('\n'));
  return text
    .split('\n')
    .filter((line) => !lines.has(line))
    .join('\n');
}

function hostsLinkedIn(path: string, text: string, withBare: boolean): Set<string> {
  if (!/\.(?:mdx?|markdown)$/i.test(path))
    return hostsIn(text.replace(/<!--[\s\S]*?(?:-->|$)/g, ''));
  const { tree, markdown } = parseMarkdown(text, path.toLowerCase().endsWith('.mdx'));
  const found = new Set<string>();
  visit(tree);
  return found;

  function visit(node: Node): void {
    if (isLink(node)) add(`<${node.url ?? ''}>`);
    // Of a tag; comments lead nowhere.
    if (node.type === 'html' && !node.value?.startsWith('<!--')) add(node.value ?? '');
    for (const { value } of node.attributes ?? []) {
      add(`"${typeof value === 'string' ? value : (value?.value ?? '')}"`);
    }
    node.children?.forEach(visit);
  }

  /** Bare addresses become links too, but nobody set them. */
  function isLink({ type, position }: Node): boolean {
    if (type === 'image' || type === 'definition') return true;
    return (
      type === 'link' && (withBare || /[[<]/.test(markdown[position?.start.offset ?? -1] ?? ''))
    );
  }

  function add(piece: string): void {
    for (const host of hostsIn(piece)) found.add(host);
  }
}
