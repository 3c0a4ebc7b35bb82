import type { Source } from '../message.ts';
import { linkAttributes } from '../markdown/inline.tsx';
import { safeUrl } from '../markdown/safe-url.ts';
import { panelStrings as text } from '../strings.ts';

/** `/install#script-tag`; with the host where it is another site's. */
function pathOf(url: string): string {
  const { origin, host, pathname, hash } = new URL(url);
  const path = decodeURI(pathname) + decodeURI(hash);
  return origin === location.origin ? path : host + path;
}

function pathForShow(url: string): string {
  try {
    return pathOf(url);
  } catch {
    return url; // A stray % that decodes to nothing.
  }
}

export function Sources({ sources }: { sources: readonly Source[] }) {
  const shown = sources.flatMap((source) => {
    const url = safeUrl(source.url);
    return url ? [{ ...source, url }] : [];
  });
  if (!shown.length) return null;
  return (
    <section class="sources" data-testid="docent-sources" aria-label={text.sources}>
      <h3 class="label">{text.sources}</h3>
      <ol>
        {shown.map(({ id, url, title }) => (
          <li key={id}>
            <a class="source" data-testid="docent-source" {...linkAttributes(url)}>
              <span class="source-number" aria-hidden="true">
                {id}
              </span>
              <span class="source-title">{title}</span>
              <span class="source-path">{pathForShow(url)}</span>
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}
