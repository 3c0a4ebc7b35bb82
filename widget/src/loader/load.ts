/**
 * Loads the files of this build from where the loader came from, and lets in no other: each has to
 * have the hash that the build wrote down. So an `integrity` on the script tag covers all of it.
 *
 * A script cannot be given a hash in `import()`, but `modulepreload` can be: what it loaded and found
 * right is what a later `import()` of that address gets, from the page's own map of modules.
 */

/** All files as `name=sha256`, and which of them each entry needs, itself first. */
export interface Files {
  all: readonly string[];
  needs: Readonly<Record<string, readonly number[]>>;
}
/** Checks all files of an entry; gives the address of its own. */
export type Verify = (entry: string) => Promise<string>;
export type Load = <Module>(entry: string) => Promise<Module>;

/** A module may be read where there is no page, as on a server. */
const running = (__DOCENT_IS_MODULE__ ? globalThis.document : document)?.currentScript;
/** A picture that somebody named `currentScript` in a comment on the page would stand in its place. */
export const ownScript = running?.tagName === 'SCRIPT' ? (running as HTMLScriptElement) : undefined;
/** With it a policy may name nonces alone. It is read here, as pages can read it only while we run. */
const nonce = ownScript?.nonce ?? '';
/** The owner wrote down the hash of this loader: nothing may run that it does not cover. */
const isPinned = !!ownScript?.integrity;
/** A module does not know its own tag; pages give all of theirs the same nonce. */
const nonceOfPage = () => document.querySelector<HTMLElement>('script[nonce]')?.nonce;
/** The list of all files, then what the panel needs: the one entry that a reader waits for. */
const [listFile, ...panelFiles] = __DOCENT_FILES__ as [string, ...string[]];

/** By address, over all widgets of a page; `undefined` after a failure, so that the next try is one. */
const checked = new Map<string, Promise<string> | undefined>();

const run = <Module>(url: string): Promise<Module> => import(/* @vite-ignore */ url);

/** `place`: where an element may be while it loads a file; it must be on the page. */
export function createLoad(base: string, place: () => ParentNode): Load {
  const check = (file: string): Promise<string> => {
    const [name, hash] = file.split('=');
    const url = `${base}/widget/${name}`;
    const checking = checked.get(url) ?? checkFile(url, hash, place);
    checked.set(url, checking);
    checking.catch(() => checked.set(url, undefined));
    return checking;
  };
  const list = async (): Promise<Files> =>
    (await run<{ default: Files }>(await check(listFile))).default;
  const checkAll = async (files: readonly string[]) =>
    (await Promise.all(files.map(check)))[0] as string;
  const verify: Verify = async (entry) => {
    const { all, needs } = await list();
    return checkAll((needs[entry] as number[]).map((at) => all[at] as string));
  };
  return async <Module>(entry: string): Promise<Module> => {
    const isPanel = entry === 'panel';
    try {
      // With the panel, as what comes next is in the list. Its failure is told to who needs it.
      if (isPanel) list().catch(() => {});
      const url = await (isPanel ? checkAll(panelFiles) : verify(entry));
      const module = await run<Module & { verifyWith?: (verify: Verify) => void }>(url);
      module.verifyWith?.(verify);
      return module;
    } catch (error) {
      // The server has been upgraded since this loader was, and does not have its files any more.
      if (isPanel && !isPinned && String(error).endsWith('404')) {
        return run(`${base}/widget/v1/panel.js`);
      }
      throw error;
    }
  };
}

async function checkFile(
  url: string,
  hash: string | undefined,
  place: () => ParentNode,
): Promise<string> {
  const integrity = `sha256-${hash}=`;
  // First into the browser's store of files: some remember for ever that a module did not load. Past
  // that store after a failure: files may stay in it for a year, a broken one too.
  const cache = checked.has(url) ? 'reload' : 'default';
  await fetch(url, { integrity, cache }).catch(async () => {
    throw new Error(`${url} ${(await fetch(url, { method: 'HEAD' })).status}`);
  });
  // Then as a module. WebKit does not look at this hash, so there the first look has to do.
  const link = document.createElement('link');
  // The browser itself says more than we know.
  const failure = new Error(url);
  try {
    await new Promise((resolve, reject) => {
      // It is in the browser's store by now: one that says nothing about it cannot verify it either.
      setTimeout(isPinned ? reject : resolve, 5_000, failure);
      Object.assign(link, {
        onload: resolve,
        onerror: () => reject(failure),
        rel: 'modulepreload',
        crossOrigin: '',
        integrity,
        nonce: __DOCENT_IS_MODULE__ ? nonce || (nonceOfPage() ?? '') : nonce,
        href: url,
      });
      place().append(link);
    });
  } finally {
    link.remove();
  }
  return url;
}
