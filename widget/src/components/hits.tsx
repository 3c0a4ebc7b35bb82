/** Pages that may help, where there is no answer. Loaded when they are needed. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { excerptOf, markMatches, type Piece, termsOf } from '../excerpt.ts';
import { linkAttributes } from '../markdown/inline.tsx';
import { safeUrl } from '../markdown/safe-url.ts';
import { isRecord } from '../message.ts';
import { useParts } from '../parts.ts';
import { useText } from '../text/text.ts';

interface Hit {
  url: string;
  path: string;
  title: string;
  heading: string;
  content: string;
}

const mostHits = 5;
/** Below this the documentation has nothing on the matter. */
const lowestScore = 0.2;
const longestQuery = 2000;

function toHits(body: unknown): Hit[] {
  return (Array.isArray(body) ? body : []).flatMap((each: unknown) => {
    const meta = isRecord(each) ? each['metadata'] : undefined;
    if (!isRecord(each) || !isRecord(meta)) return [];
    const { title, heading, url: given } = meta;
    const { content, path } = each;
    const url = typeof given === 'string' ? safeUrl(given) : undefined;
    const isWhole = [title, heading, content, path].every((text) => typeof text === 'string');
    return url && isWhole ? [{ ...({ title, heading, content, path } as Hit), url }] : [];
  });
}

const Marked = ({ pieces }: { pieces: readonly Piece[] }) =>
  pieces.map(({ text, isMatch }, at) => (isMatch ? <mark key={at}>{text}</mark> : text));

export function Hits({ question }: { question: string }) {
  const { service, settings, emit } = useParts();
  const { problems: text } = useText();
  const [hits, setHits] = useState<Hit[]>([]);
  const terms = useMemo(() => termsOf(question), [question]);
  useEffect(() => {
    const gone = new AbortController();
    const search = async () => {
      const response = await service.call('/discovery/v1/search', {
        body: {
          query: question.slice(0, longestQuery),
          pageSize: mostHits,
          scoreThreshold: lowestScore,
          filter: settings.value.filter,
        },
        signal: gone.signal,
      });
      if (response.ok) setHits(toHits(await response.json()));
    };
    // Nothing found, or nobody to ask: then the notice above says what there is to say.
    search().catch(() => {});
    return () => gone.abort();
  }, [question]);
  if (!hits.length) return null;
  return (
    <section class="sources hits" data-testid="docent-hits" aria-label={text.hits}>
      <h3 class="label">{text.hits}</h3>
      <ul>
        {hits.map(({ url, path, title, heading, content }) => (
          <li key={url}>
            <a
              class="hit"
              data-testid="docent-hit"
              {...linkAttributes(url)}
              onClick={() => emit('source', { url })}
            >
              <span class="source-title">
                <Marked pieces={markMatches(title, terms)} />
                {heading !== title && (
                  <>
                    {' › '}
                    <Marked pieces={markMatches(heading, terms)} />
                  </>
                )}
              </span>
              <span class="source-path">{path}</span>
              <span class="hit-text">
                <Marked pieces={excerptOf(content, terms)} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
