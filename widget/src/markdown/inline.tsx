import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Token, Tokens } from 'marked';
import type { Source } from '../chat/message.ts';
import { Button } from '../panel/components/icon-button.tsx';
import { fill, type Text, useText } from '../text/text.ts';
import { decodeEntities } from './entities.ts';
import { isSameSite, safePicture, safeUrl } from './safe-url.ts';

export interface Reading {
  cite: (id: string) => Source | undefined;
  text: Text;
}

/** Links to this site open in this tab, where the conversation continues. */
export function linkAttributes(url: string) {
  if (!isSameSite(url)) return { href: url, target: '_blank', rel: 'noopener noreferrer nofollow' };
  // Only if the page has a default target, because routers ignore links with a target.
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

/** Plain words, with citations such as `[1, 2]` and `<br>`, which models use in tables. */
function words(raw: string, reading: Reading): ComponentChildren {
  const pieces = raw.split(/(\[\d{1,3}(?:, ?\d{1,3})*\]|<br ?\/?>)/i);
  const idsIn = (piece = '') => (piece.startsWith('[') ? piece.slice(1, -1).split(/, ?/) : []);
  const isCited = (ids: string[]) => ids.some((id) => reading.cite(id));
  // Always a list, so that words keep their nodes when a citation appears.
  return pieces.map((piece, index) => {
    const decoded = decodeEntities(piece);
    if (index % 2 === 0) return isCited(idsIn(pieces[index + 1])) ? decoded.trimEnd() : decoded;
    if (piece.startsWith('<')) return <br key={index} />;
    const ids = idsIn(piece);
    if (!isCited(ids)) return piece;
    // Keep a number on the line of the word before it.
    const joiner = /\s$/.test(pieces[index - 1] ?? '') ? '\u00a0' : '\u2060';
    return [joiner, ids.map((id) => citation(id, reading, `${index}-${id}`))];
  });
}

function link(token: Tokens.Link, key: number, reading: Reading): ComponentChildren {
  const url = safeUrl(token.autolink ? token.href : decodeEntities(token.href));
  const inside = renderInline(token.tokens, reading);
  // Keep the words of a link without a safe address.
  return url ? (
    <a key={key} {...linkAttributes(url)}>
      {inside}
    </a>
  ) : (
    inside
  );
}

/**
 * A picture of another host loads only if the reader wants it, because the request tells that host
 * about the reader.
 */
function RemotePicture({ url, name }: { url: string; name: string }) {
  const text = useText();
  const [isWanted, setWanted] = useState(false);
  if (isWanted) return <img src={url} alt={name} referrerpolicy="no-referrer" />;
  return (
    <Button
      class="button remote-picture"
      testId="docent-load-picture"
      title={url}
      onClick={() => setWanted(true)}
    >
      {fill(text.loadPicture, { host: new URL(url).host, name })}
    </Button>
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
