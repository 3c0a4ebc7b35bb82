import type { FunctionComponent } from 'preact';
import { useText } from '../../text/text.ts';
import { useLazy } from './use-lazy.ts';

/** A view that loads when it's first shown. */
export function createLazy<Name extends string>(
  name: Name,
  load: () => Promise<Readonly<Record<Name, FunctionComponent>>>,
): FunctionComponent {
  let Loaded: FunctionComponent | undefined;
  return function Lazy() {
    const { module, retry } = useLazy(!Loaded, load);
    const text = useText();
    Loaded ??= module?.[name];
    if (Loaded) return <Loaded />;
    if (!retry) return null;
    return (
      <div class="unanswered" role="alert">
        <p class="muted">{text.notLoaded}</p>
        <button type="button" class="button" onClick={retry}>
          {text.retry}
        </button>
      </div>
    );
  };
}
