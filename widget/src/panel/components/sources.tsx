import { citedNumbers } from '@docent/shared/citations';
import { pathForShow } from '../../citations/path.ts';
import type { Source } from '../../chat/message.ts';
import { linkAttributes } from '../../markdown/inline.tsx';
import { safeUrl } from '../../markdown/safe-url.ts';
import { fill, useText } from '../../text/text.ts';

/** How many sources to show if the answer cites none. */
const shownUncited = 3;

/** Shows the cited sources and folds the others. */
export function Sources({ sources, answer }: { sources: readonly Source[]; answer: string }) {
  const text = useText();
  const known = sources.flatMap((source) => {
    const url = safeUrl(source.url);
    return url ? [{ ...source, url }] : [];
  });
  if (!known.length) return null;
  const numbers = citedNumbers(answer);
  const cited = known.filter(({ id }) => numbers.has(id));
  const shown = cited.length ? cited : known.slice(0, shownUncited);
  const rest = known.filter((source) => !shown.includes(source));
  return (
    // A group, because a landmark under each answer would be too many.
    <div class="sources" data-testid="docent-sources" role="group" aria-label={text.sources}>
      <h3 class="label">{text.sources}</h3>
      <List sources={shown} />
      {rest.length > 0 && (
        <details data-testid="docent-more-sources">
          <summary>{fill(text.moreSources, { count: rest.length })}</summary>
          <List sources={rest} />
        </details>
      )}
    </div>
  );
}

function List({ sources }: { sources: readonly Source[] }) {
  return (
    <ol>
      {sources.map(({ id, url, title }) => (
        <li key={id}>
          <a class="source" data-testid="docent-source" data-source={id} {...linkAttributes(url)}>
            <span class="source-number" aria-hidden="true">
              {id}
            </span>
            <span class="source-title">{title}</span>
            <span class="source-path">{pathForShow(url)}</span>
          </a>
        </li>
      ))}
    </ol>
  );
}
