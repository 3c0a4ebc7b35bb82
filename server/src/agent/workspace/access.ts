/** Decides which paths the model may read, change and create. Each refusal is a sentence for the model. */
import { FileError, NotAllowed, checkNewPath, checkPath, shownPath } from './paths.ts';
import type { Overlay } from './overlay.ts';
import type { PathPolicy } from './path-policy.ts';
import { isPlainFile, type Tree } from './tree.ts';

export interface Denial {
  path: string;
  reason: string;
}

const maxDenials = 1000;

export function createAccess(deps: { tree: Tree; overlay: Overlay; policy: PathPolicy }) {
  const { tree, overlay, policy } = deps;
  const denied: Denial[] = [];

  return {
    denied: denied as readonly Denial[],
    missing,

    /** An existing plain file that may be read. */
    readable,

    /** An existing file that may be changed or deleted. */
    writable(path: string): string {
      const name = checked(path);
      if (!overlay.isLive(name)) throw missing(name);
      assertOpen(name);
      return readable(path);
    },

    /** A free path where a file may be created. */
    creatable(path: string): string {
      const name = checked(path);
      assertNoLink(name);
      // A deleted file may be created again, whatever its name is.
      if (!overlay.isInTree(name)) remembering(path, () => checkNewPath(name));
      assertOpen(name);
      if (!policy.isReadable(name)) {
        throw deny(new NotAllowed(`${shownPath(name)} has the name of a file with secrets.`), name);
      }
      if (overlay.isLive(name)) {
        throw new FileError(`${shownPath(name)} already exists; choose another path.`);
      }
      assertNoConflict(name);
      return name;
    },

    /** Whether `write` would replace a file. */
    isThere: (path: string): boolean => overlay.isLive(checked(path)),
  };

  function checked(path: string): string {
    return remembering(path, () => checkPath(path));
  }

  /** Records refusals because of the path: somebody may have told the model to try. */
  function remembering(path: string, check: () => string): string {
    try {
      return check();
    } catch (error) {
      throw error instanceof FileError ? deny(error, path) : error;
    }
  }

  function deny(error: FileError, path: string): FileError {
    const shown = path.slice(0, 300);
    if (denied.length < maxDenials) denied.push({ path: shown, reason: error.message });
    return error;
  }

  function readable(path: string): string {
    const name = checked(path);
    if (!overlay.isLive(name)) throw missing(name);
    if (policy.isReadable(name)) return name;
    const { kind, reason } = policy.classify(name);
    throw deny(
      kind === 'outside'
        ? new NotAllowed(`${shownPath(name)} is ${reason}, and not for you to read.`)
        : new NotAllowed(`${shownPath(name)} may hold secrets and is not shown.`),
      name,
    );
  }

  function assertOpen(path: string): void {
    const { kind, reason } = policy.classify(path);
    if (kind === 'outside') {
      const where = policy.root === '' ? '' : ` in "${policy.root}"`;
      throw deny(
        new NotAllowed(
          `${shownPath(path)} is ${reason}. Only the documentation${where} can be changed.`,
        ),
        path,
      );
    }
    if (kind === 'protected' && policy.onProtected === 'block') {
      throw deny(
        new NotAllowed(
          `${shownPath(path)} is ${reason} and protected in this project. Leave it as it is, and say in the end what somebody would have to change there.`,
        ),
        path,
      );
    }
  }

  function assertNoLink(path: string): void {
    for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1)) {
      const step = path.slice(0, at);
      const entry = tree.entries.get(step);
      if (!entry || isPlainFile(entry)) continue;
      const what = entry.mode === '160000' ? 'a submodule' : 'a link to another place';
      const where =
        path === step
          ? `${shownPath(path)} is ${what}`
          : `${shownPath(step)} on the way is ${what}`;
      throw deny(new NotAllowed(`${where}; it is neither followed, read nor written.`), path);
    }
  }

  function assertNoConflict(path: string): void {
    const other = overlay.pathIndex().conflict(path);
    if (!other) return;
    throw new FileError(
      other.isFolder
        ? `${shownPath(path)} cannot be a file: there is the folder ${shownPath(other.path)}. Spell folders exactly as they are.`
        : `${shownPath(path)} cannot be made beside the file ${shownPath(other.path)}: they would be the same on some systems.`,
    );
  }

  function missing(path: string): FileError {
    assertNoLink(path);
    if (overlay.editOf(path)?.content === null) {
      return new FileError(`${shownPath(path)} was deleted or moved by you.`);
    }
    if (overlay.isFolder(path)) {
      return new FileError(`${shownPath(path)} is a folder; list it, then name one of its files.`);
    }
    const near = nearPaths(path);
    const hint =
      near.length > 0
        ? `Do you mean ${near.map(shownPath).join(' or ')}?`
        : 'List the files to see which there are.';
    return new FileError(`There is no file ${shownPath(path)}. ${hint}`);
  }

  /** Other spellings, and files of the same name in other folders. */
  function nearPaths(path: string): string[] {
    const other = overlay.pathIndex().otherSpelling(path);
    if (other !== undefined && overlay.isLive(other) && policy.isReadable(other)) return [other];
    const wanted = stemOf(path);
    const found: string[] = [];
    for (const one of overlay.live()) {
      if (stemOf(one) === wanted && policy.isReadable(one)) found.push(one);
      if (found.length === 3) break;
    }
    return found;
  }
}

function stemOf(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.[^.]*$/, '')
    .toLowerCase();
}
