/** Pages that may help if there is no answer. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { excerptOf, markMatches, type Piece, termsOf } from '../excerpt.ts';
import { clip, readJson } from '../../chat/limits.ts';
import { linkAttributes } from '../../markdown/inline.tsx';
import { safeUrl } from '../../markdown/safe-url.ts';
import { isRecord } from '../../chat/message.ts';
import { useDeps } from '../deps.ts';
import { useText } from '../../text/text.ts';

const maxHits = 5;
/** Pages below this score have nothing to do with the question. */
const minScore = 0.2;
const maxQuery = 2000;
const maxLength = { url: 2_000, title: 300, content: 10_000 };

function toHits(body: unknown) {
  const found = (Array.isArray(body) ? body : []) as unknown[];
  return found.slice(0, maxHits).flatMap((each) => {
    const meta = isRecord(each) ? each['metadata'] : undefined;
    if (!isRecord(each) || !isRecord(meta)) return [];
    const { title, heading, url: given } = meta;
    const { content, path } = each;
    const url = typeof given === 'string' ? safeUrl(given) : undefined;
    if (!url || url.length > maxLength.url) return [];
    if (typeof title !== 'string' || typeof heading !== 'string') return [];
    if (typeof content !== 'string' || typeof path !== 'string') return [];
    return {
      url,
      path: clip(path, maxLength.title),
      title: clip(title, maxLength.title),
      heading: clip(heading, maxLength.title),
      content: content.slice(0, maxLength.content),
    };
  });
}

const Marked = ({ pieces }: { pieces: readonly Piece[] }) =>
  pieces.map(({ text, isMatch }, at) => (isMatch ? <mark key={at}>{text}</mark> : text));

export function Hits({ question }: { question: string }) {
  const { service, settings, emit } = useDeps();
  const text = useText();
  const [hits, setHits] = useState<ReturnType<typeof toHits>>([]);
  const terms = useMemo(() => termsOf(question), [question]);
  useEffect(() => {
    const gone = new AbortController();
    const search = async () => {
      const response = await service.call('/discovery/v1/search', {
        body: {
          query: question.slice(0, maxQuery),
          pageSize: maxHits,
          scoreThreshold: minScore,
          filter: settings.value.filter,
        },
        signal: gone.signal,
      });
      if (response.ok) setHits(toHits(await readJson(response)));
    };
    // The notice above says what is wrong.
    search().catch(() => {});
    return () => gone.abort();
  }, [question]);
  if (!hits.length) return null;
  return (
    <section class="sources hits" data-testid="docent-hits" aria-label={text.hits}>
      <h3 class="label">{text.hits}</h3>
      <ul>
        {hits.map(({ url, path, title, heading, content }, at) => (
          <li key={at}>
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
