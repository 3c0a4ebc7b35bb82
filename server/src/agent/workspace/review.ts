/** Reviews the bytes of a change before anything leaves this machine, whatever the model says about it. */
import type { FailureCode } from '@docent/shared/agent-failures';
import type { GuardConfig } from '../../platform/config/project-config.ts';
import { readDocsLayout } from '../checks/docs-state.ts';
import { hideOwnSecrets } from '../../platform/redaction/own-secrets.ts';
import { nameSome } from '../../platform/text.ts';
import { isTooMuch } from '../../platform/workers/worker-pool.ts';
import { runAgentTask } from '../run-agent-task.ts';
import type { ActiveContent } from './active-content.ts';
import { diffFiles } from './diff.ts';
import { findNewHosts, type NewHostsInput } from './new-hosts.ts';
import type { PathPolicy } from './path-policy.ts';
import { checkNewPath, shownPath } from './paths.ts';
import { findSecrets } from './secrets.ts';
import { isText, textOf } from './text-file.ts';

/** Lines that may always be deleted: half of a short page isn't much. */
const alwaysDeletable = 200;
const maxListed = 50;

export interface ReviewInput extends NewHostsInput {
  policy: PathPolicy;
  guard: GuardConfig;
  /** From the request, never from the model. */
  allowLarge: boolean;
}

export interface ReviewProblem {
  code: Extract<
    FailureCode,
    'path_protected' | 'secret_found' | 'change_too_large' | 'content_not_allowed'
  >;
  /** A sentence for the model and for the owner, which names the place. */
  message: string;
}

export interface Noted {
  path: string;
  what: string;
}

export interface Review {
  /** A change with a problem isn't published. */
  problems: ReviewProblem[];
  /** Somebody has to approve something before the merge. */
  needsDraft: boolean;
  newHosts: { host: string; paths: string[] }[];
  newCode: Noted[];
  protectedFiles: Noted[];
}

export async function reviewContent(input: ReviewInput): Promise<Review> {
  const { changes, guard } = input;
  const paths = reviewPaths(input);
  const newHosts = guard.newHosts === 'allow' ? [] : await findNewHosts(input);
  const newCode = guard.newCode === 'allow' ? [] : await findNewCode(input);
  const problems: ReviewProblem[] = [
    ...paths.problems,
    ...findSecrets(changes).map(({ path, line, kind }) => ({
      code: 'secret_found' as const,
      message: `Line ${line} of ${shownPath(path)} contains what looks like a real ${kind}. Write an obvious placeholder, such as "YOUR_API_KEY".`,
    })),
    ...reviewSize(input),
  ];
  if (guard.newHosts === 'block') {
    for (const { host, paths: where } of newHosts) {
      problems.push({
        code: 'content_not_allowed',
        message: `${nameSome(where.map(shownPath), 3)} names the host ${host}, which fewer than two files of the repository link to; remove it.`,
      });
    }
  }
  if (guard.newCode === 'block') {
    for (const { path, what } of newCode) {
      problems.push({
        code: 'content_not_allowed',
        message: `${shownPath(path)} adds code that runs when pages are built or read (${what}); remove it.`,
      });
    }
  }
  const { protectedFiles } = paths;
  const needsDraft = newHosts.length + newCode.length + protectedFiles.length > 0;
  return { problems, needsDraft, newHosts, newCode, protectedFiles };
}

/** Checks the paths of the final change again, because tools aren't the only way to change files. */
function reviewPaths({ changes, policy }: ReviewInput) {
  const problems: ReviewProblem[] = [];
  const protectedFiles: Noted[] = [];
  const isKnown = new Set(changes.flatMap(({ path, before }) => (before ? [path] : [])));
  for (const { path, kind } of changes) {
    if (kind === 'added' && hideOwnSecrets(path) !== path) {
      const message = 'The name of a new file contains a secret of this service; choose another.';
      problems.push({ code: 'secret_found', message });
    }
    if (kind === 'added' && !isKnown.has(path)) {
      try {
        checkNewPath(path);
      } catch (error) {
        const message = error instanceof Error ? error.message : 'The path cannot be used.';
        problems.push({ code: 'path_protected', message });
        continue;
      }
    }
    const { kind: pathKind, reason } = policy.classify(path);
    if (!policy.isReadable(path)) {
      const message = `${shownPath(path)} has the name of a file with secrets, or lies outside; it must stay as it is.`;
      problems.push({ code: 'path_protected', message });
    } else if (pathKind === 'protected' && policy.onProtected === 'draft') {
      protectedFiles.push({ path, what: reason });
    } else if (pathKind !== 'open') {
      problems.push({
        code: 'path_protected',
        message: `${shownPath(path)} is ${reason}${pathKind === 'protected' ? ' and protected' : ''}; it must stay as it is.`,
      });
    }
  }
  return { problems, protectedFiles };
}

function reviewSize({ changes, guard, allowLarge }: ReviewInput): ReviewProblem[] {
  if (allowLarge) return [];
  const problems: ReviewProblem[] = [];
  const hint =
    'Do only what was asked for; if it was all asked for, the request must say "allowLarge".';
  const files = diffFiles(changes);
  if (files.length > guard.files) {
    problems.push({
      code: 'change_too_large',
      message: `${files.length} files are changed, and the project allows ${guard.files} at once. ${hint}`,
    });
  }
  const before = new Map(changes.map((change) => [change.path, change.before]));
  let lines = 0;
  let deleted = 0;
  for (const file of files) {
    const old = before.get(file.from ?? file.path);
    const count = old && isText(old) ? countLines(old) : 0;
    lines += count;
    // Too large to compare line by line: count all of it as deleted.
    deleted += file.content === 'text' ? Math.max(0, file.removed - file.added) : count;
  }
  const percent = lines === 0 ? 0 : (deleted / lines) * 100;
  if (deleted > alwaysDeletable && percent > guard.deletedPercent) {
    problems.push({
      code: 'change_too_large',
      message: `${deleted} lines are gone, ${Math.round(percent)} % of the changed files, and the project allows ${guard.deletedPercent} %. ${hint}`,
    });
  }
  return problems;
}

/** Code that was in any of the changed files before, in a file of the same kind, has only moved. */
async function findNewCode(input: ReviewInput): Promise<Noted[]> {
  const { changes, policy, before, signal, run = runAgentTask } = input;
  const isMarkdownMdx = changes.some(({ path }) => path.endsWith('.md'))
    ? (await readDocsLayout(before, policy.root, signal)).isMarkdownMdx
    : false;
  const old = new Map<string, number>();
  for (const { path, before: bytes } of changes) {
    if (!bytes) continue;
    for (const { text } of await activeContent(path, textOf(bytes))) {
      old.set(text, (old.get(text) ?? 0) + 1);
    }
  }
  const found: Noted[] = [];
  for (const { path, after } of changes) {
    if (!after) continue;
    for (const { text, what } of await activeContent(path, textOf(after))) {
      const left = old.get(text) ?? 0;
      if (left > 0) old.set(text, left - 1);
      else found.push({ path, what });
    }
  }
  return found.slice(0, maxListed);

  async function activeContent(path: string, text: string): Promise<ActiveContent[]> {
    try {
      return await run('activeContent', { path, text, isMarkdownMdx }, { signal });
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      return [{ text, what: `it can't be read: ${error.message}` }];
    }
  }
}

function countLines(bytes: Buffer): number {
  const text = bytes.toString('latin1');
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}
