/**
 * Loads the files of this build from where the loader came from, and lets in no other: each has to
 * have the hash that the build wrote down. So an `integrity` on the script tag covers all of it.
 *
 * A script cannot be given a hash in `import()`, but `modulepreload` can be: what it loaded and found
 * right is what a later `import()` of that address gets, from the page's own map of modules.
 */
import { warn } from './warn.ts';

/** Files of a build: `all` of them as `name=sha256`, and which of them each entry needs, itself first. */
export interface Files {
  all: readonly string[];
  needs: Readonly<Record<string, readonly number[]>>;
}
/** Checks all files of an entry; gives the address of its own. */
export type Verify = (entry: string) => Promise<string | undefined>;

const script = globalThis.document?.currentScript as HTMLScriptElement | null;
/** With it a policy may name nonces alone. It is read here, as pages can read it only while we run. */
const nonce = script?.nonce;
/** The owner wrote down the hash of this loader: nothing may run that it does not cover. */
const isPinned = !!script?.integrity;

/** By address, over all widgets of a page. A failure is forgotten, so that the next try is one. */
const checked = new Map<string, Promise<void>>();
const failed = new Set<string>();
class Gone extends Error {}

export type Load = <Module>(entry: string) => Promise<Module>;

export function createLoad(base: string, place: () => Node): Load {
  const urlOf = (file: string) => `${base}/widget/${file}`;
  const check = (file: string): Promise<string> => {
    const [name = '', hash] = file.split('=');
    const url = urlOf(name);
    const checking = checked.get(url) ?? checkFile(url, `sha256-${hash}=`, place);
    checked.set(url, checking);
    return checking.then(
      () => url,
      (error: unknown) => {
        checked.delete(url);
        failed.add(url);
        throw error;
      },
    );
  };
  const verifyOf =
    (files: () => Files | Promise<Files>): Verify =>
    async (entry) => {
      const { all, needs } = await files();
      const [url] = await Promise.all((needs[entry] ?? []).map((at) => check(all[at] ?? '')));
      return url;
    };
  const run = <Module>(url: string): Promise<Module> => import(/* @vite-ignore */ url);
  const own = verifyOf(() => __DOCENT_FILES__);
  let listing: Promise<Files> | undefined;
  const list = (): Promise<Files> =>
    (listing ??= own('files')
      .then((url) => run<{ default: Files }>(url ?? ''))
      .then(
        (module) => module.default,
        (error: unknown) => {
          listing = undefined;
          throw error;
        },
      ));
  const others = verifyOf(list);

  return async <Module>(entry: string): Promise<Module> => {
    try {
      const isOwn = entry in __DOCENT_FILES__.needs;
      // Both at once, as what comes next is in the list. Its failure is told to who needs it.
      if (isOwn) list().catch(() => {});
      const url = await (isOwn ? own : others)(entry);
      const module = await run<Module & { verifyWith?: (verify: Verify) => void }>(url ?? '');
      module.verifyWith?.(others);
      return module;
    } catch (error) {
      // The server has been upgraded since this loader was, and does not have its files any more.
      if (!(error instanceof Gone) || isPinned || entry !== 'panel') throw error;
      warn('newer files are used');
      return run(urlOf('v1/panel.js'));
    }
  };
}

async function checkFile(url: string, integrity: string, place: () => Node): Promise<void> {
  // First into the browser's store of files: some remember for ever that a module did not load.
  // Past that store after a failure: files may stay in it for a year, a broken one too.
  const response = await fetch(url, { cache: failed.has(url) ? 'reload' : 'default' });
  if (response.status === 404) throw new Gone();
  if (!response.ok) throw new Error(`${response.status}`);
  await response.arrayBuffer();
  const link = document.createElement('link');
  if (!link.relList.supports('modulepreload')) {
    if (isPinned) throw new Error('this browser cannot verify');
    return;
  }
  await new Promise((resolve, reject) => {
    link.onload = resolve;
    link.onerror = () => reject(new Error(`${url} is not what was built`));
    link.rel = 'modulepreload';
    link.crossOrigin = 'anonymous';
    link.integrity = integrity;
    if (nonce) link.nonce = nonce;
    link.href = url;
    place().appendChild(link);
  }).finally(() => link.remove());
}
