import { useEffect, useState } from 'preact/hooks';

/**
 * Loads a module that is rarely needed. `module` is `undefined` until it has loaded, `retry` unless
 * it has failed.
 */
export function useLazy<Module>(isWanted: boolean, load: () => Promise<Module>) {
  const [loaded, setLoaded] = useState<{ module: Module }>();
  const [failures, setFailures] = useState(0);
  const [retries, setRetries] = useState(0);
  useEffect(() => {
    if (!isWanted || loaded) return undefined;
    let isGone = false;
    load().then(
      (module) => isGone || setLoaded({ module }),
      () => isGone || setFailures(retries + 1),
    );
    return () => void (isGone = true);
  }, [isWanted, retries]);
  const hasFailed = failures > retries;
  return { module: loaded?.module, retry: hasFailed ? () => setRetries(failures) : undefined };
}
