import { useEffect, useState } from 'preact/hooks';

/** What is seldom needed and comes by `import()`; `undefined` until it is there, and while it cannot come. */
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
