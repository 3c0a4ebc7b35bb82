/** Words, links, emphasis and citations inside a block. */
import type { ComponentChildren } from 'preact';
import type { Token, Tokens } from 'marked';
import type { Source } from '../chat/message.ts';
import { fill, type Text } from '../text/text.ts';
import { decodeEntities } from './entities.ts';
import { RemotePicture } from './remote-picture.tsx';
import { isSameSite, safePicture, safeUrl } from './safe-url.ts';

/** The context in which tokens are drawn. */
export interface Reading {
  /** The source that a number in the text stands for. */
  cite: (id: string) => Source | undefined;
  text: Text;
}

/** Links to pages of this site open in this tab, so that the conversation continues there. */
export function linkAttributes(url: string) {
  if (!isSameSite(url)) return { href: url, target: '_blank', rel: 'noopener noreferrer nofollow' };
  // Only where the page sends all links elsewhere: routers pass over links that name a target.
  return document.head.querySelector('base[target]')
    ? { href: url, target: '_self' }
    : { href: url };
}

function citation(id: string, reading: Reading, key: string): ComponentChildren {
  const source = reading.cite(id);
  const url = source && safeUrl(source.url);
  if (!source || !url) return `[${id}]`;
  const name = fill(reading.text.source, { number: id, title: source.title });
  return (
    <a
      key={key}
      class="cite"
      data-testid="docent-cite"
      data-source={id}
      aria-label={name}
      {...linkAttributes(url)}
    >
      {id}
    </a>
  );
}

/** Plain words, with `[1]` and `[1, 2]` as citations and `<br>`, the one tag models use in tables. */
function words(raw: string, reading: Reading): ComponentChildren {
  const parts = raw.split(/(\[\d{1,3}(?:, ?\d{1,3})*\]|<br ?\/?>)/i);
  const idsIn = (part = '') => (part.startsWith('[') ? part.slice(1, -1).split(/, ?/) : []);
  const isCited = (ids: string[]) => ids.some((id) => reading.cite(id));
  // Always a list: where a citation joins words that are there already, these keep their node.
  return parts.map((part, index) => {
    const decoded = decodeEntities(part);
    if (index % 2 === 0) return isCited(idsIn(parts[index + 1])) ? decoded.trimEnd() : decoded;
    if (part.startsWith('<')) return <br key={index} />;
    const ids = idsIn(part);
    if (!isCited(ids)) return part;
    // A number stays on the line of the word before it: a no-break space, or a word joiner.
    const joiner = /\s$/.test(parts[index - 1] ?? '') ? '\u00a0' : '\u2060';
    return [joiner, ids.map((id) => citation(id, reading, `${index}-${id}`))];
  });
}

function link(token: Tokens.Link, key: number, reading: Reading): ComponentChildren {
  const url = safeUrl(token.autolink ? token.href : decodeEntities(token.href));
  const inside = renderInline(token.tokens, reading);
  // Not an address to follow: its words stay, the address does not.
  return url ? (
    <a key={key} {...linkAttributes(url)}>
      {inside}
    </a>
  ) : (
    inside
  );
}

function picture({ href, text: alt }: Tokens.Image, key: number, text: Text): ComponentChildren {
  const name = decodeEntities(alt) || text.picture;
  const here = safePicture(href);
  if (here) return <img key={key} src={here} alt={name} loading="lazy" />;
  const url = safeUrl(href);
  return url?.startsWith('http') ? <RemotePicture key={url} url={url} name={name} /> : name;
}

function renderOne(token: Token, key: number, reading: Reading): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return <strong key={key}>{renderInline(token.tokens ?? [], reading)}</strong>;
    case 'em':
      return <em key={key}>{renderInline(token.tokens ?? [], reading)}</em>;
    case 'del':
      return <del key={key}>{renderInline(token.tokens ?? [], reading)}</del>;
    case 'codespan':
      return <code key={key}>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br key={key} />;
    case 'link':
      return link(token as Tokens.Link, key, reading);
    case 'image':
      return picture(token as Tokens.Image, key, reading.text);
    case 'checkbox':
      return (
        <input key={key} type="checkbox" checked={(token as Tokens.Checkbox).checked} disabled />
      );
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'text':
      return token.tokens
        ? renderInline(token.tokens, reading)
        : words((token as Tokens.Text).text, reading);
    default:
      return token.raw;
  }
}

export function renderInline(tokens: readonly Token[], reading: Reading): ComponentChildren {
  return tokens.map((token, index) => renderOne(token, index, reading));
}
