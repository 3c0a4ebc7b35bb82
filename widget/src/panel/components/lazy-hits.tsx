import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Hits as HitsType } from './hits.tsx';

/** Without its code, as when the service is away, there are no hits either. */
export function LazyHits({ question }: { question: string }) {
  const [loaded, setLoaded] = useState<{
    Hits: FunctionComponent<Parameters<typeof HitsType>[0]>;
  }>();
  useEffect(() => {
    import('./hits.tsx').then(setLoaded).catch(() => {});
  }, []);
  return loaded ? <loaded.Hits question={question} /> : null;
}
