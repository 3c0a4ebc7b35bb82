import { useEffect, useState } from 'preact/hooks';

/** Loads a module that is rarely needed. `undefined` until it has loaded, or if it fails. */
export function useLazy<Module>(
  isWanted: boolean,
  load: () => Promise<Module>,
): Module | undefined {
  const [loaded, setLoaded] = useState<{ module: Module }>();
  useEffect(() => {
    if (!isWanted || loaded) return undefined;
    let isGone = false;
    load().then(
      (module) => isGone || setLoaded({ module }),
      () => {},
    );
    return () => void (isGone = true);
  }, [isWanted]);
  return loaded?.module;
}
