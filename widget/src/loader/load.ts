/**
 * Loads the files of this build and verifies their hashes, so an `integrity` on the script tag
 * covers all of them. `import()` takes no hash, but `modulepreload` does, and a later `import()`
 * gets the verified module from the page's module map.
 */

/** All files as `name=sha256`, and which of them each entry needs, itself first. */
export interface Files {
  all: readonly string[];
  needs: Readonly<Record<string, readonly number[]>>;
}
/** Verifies all files of an entry and returns its address. */
export type Verify = (entry: string) => Promise<string>;
export type Load = <Module>(entry: string) => Promise<Module>;

/** A server may import the module. */
const running = (__DOCENT_IS_MODULE__ ? globalThis.document : document)?.currentScript;
/** An element named `currentScript` would replace it. */
export const ownScript = running?.tagName === 'SCRIPT' ? (running as HTMLScriptElement) : undefined;
/** For policies with nonces. Pages can read it only while the script runs. */
const nonce = ownScript?.nonce ?? '';
/** The owner pinned the loader's hash: nothing else may run. */
const isPinned = !!ownScript?.integrity;
/** A module doesn't know its own tag, but all tags of a page have the same nonce. */
const nonceOfPage = () => document.querySelector<HTMLElement>('script[nonce]')?.nonce;
/** The list of all files, then the files of the panel. */
const [listFile, ...panelFiles] = __DOCENT_FILES__ as [string, ...string[]];

/**
 * By address, for all widgets of a page. `undefined` after a failure, so that the next call tries
 * again.
 */
const checked = new Map<string, Promise<string> | undefined>();

const run = <Module>(url: string): Promise<Module> => import(/* @vite-ignore */ url);

/** `place`: where to add elements while they load. It must be on the page. */
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
      // The next files need the list. Whoever needs it handles its failure.
      if (isPanel) list().catch(() => {});
      const url = await (isPanel ? checkAll(panelFiles) : verify(entry));
      const module = await run<Module & { verifyWith?: (verify: Verify) => void }>(url);
      module.verifyWith?.(verify);
      return module;
    } catch (error) {
      // The server was upgraded and no longer has this loader's files.
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
  // First into the HTTP cache: some browsers remember forever that a module failed. After a
  // failure, bypass that cache, where a broken file may stay for a year.
  const cache = checked.has(url) ? 'reload' : 'default';
  await fetch(url, { integrity, cache }).catch(async () => {
    throw new Error(`${url} ${(await fetch(url, { method: 'HEAD' })).status}`);
  });
  // Then as a module. WebKit ignores this hash, so there the first check must do.
  const link = document.createElement('link');
  const failure = new Error(url);
  try {
    await new Promise((resolve, reject) => {
      // The browser doesn't report the load, so it can't verify it, either.
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
