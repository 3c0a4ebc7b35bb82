import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useText } from '../../text/text.ts';

/** A view that loads when it's first shown. */
export function createLazy<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props> {
  let Loaded: FunctionComponent<Props> | undefined;
  return function Lazy(props: Props) {
    const [state, setState] = useState<'loading' | 'failed' | 'loaded'>(
      Loaded ? 'loaded' : 'loading',
    );
    const text = useText();
    useEffect(() => {
      if (state !== 'loading') return undefined;
      let isGone = false;
      const show = (next: 'failed' | 'loaded') => void (isGone || setState(next));
      load().then(
        (component) => {
          Loaded = component;
          show('loaded');
        },
        () => show('failed'),
      );
      return () => void (isGone = true);
    }, [state]);
    if (Loaded && state === 'loaded') return <Loaded {...props} />;
    if (state === 'loading') return null;
    return (
      <div class="unanswered" role="alert">
        <p class="muted">{text.notLoaded}</p>
        <button type="button" class="button" onClick={() => setState('loading')}>
          {text.retry}
        </button>
      </div>
    );
  };
}
