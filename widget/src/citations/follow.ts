/** Runs when a reader follows a citation or a source of an answer. */
import { isSameSite } from '../markdown/safe-url.ts';
import type { Source } from '../chat/message.ts';
import type { PanelDeps } from '../panel/deps.ts';
import { storageName } from '../loader/flags.ts';
import { storeCitation } from './cited.ts';
import { claimAt, claimOf } from './claim.ts';

const edgeWords = 5;

/** `:~:text=from,to`, which browsers find and mark. Empty if the browser doesn't support it. */
function textFragment(quote: string): string {
  const [line = ''] = quote.split('\n');
  const words = line.trim().split(/\s+/);
  if (!('fragmentDirective' in document) || words.length < 3) return '';
  const encode = (some: string[]) => encodeURIComponent(some.join(' ')).replaceAll('-', '%2D');
  const [first, last] = [words.slice(0, edgeWords), words.slice(-edgeWords)];
  const text = words.length > 2 * edgeWords ? `${encode(first)},${encode(last)}` : encode(words);
  return `:~:text=${text}`;
}

export function sourceOf(
  link: Element,
  { session }: Pick<PanelDeps, 'session'>,
): { source: Source; answer: string } | undefined {
  const id = link.closest<HTMLElement>('[data-source]')?.dataset['source'];
  const messageId = link.closest<HTMLElement>('[data-message]')?.dataset['message'];
  const message = session.messages.value.find((one) => one.id === messageId);
  const source = message?.sources.find((one) => one.id === id);
  return message && source && { source, answer: message.text };
}

/** The browser follows the link afterwards. */
export function followCitation(event: MouseEvent, deps: PanelDeps): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const found = link && sourceOf(link, deps);
  if (!link || !found || event.defaultPrevented || event.button > 1) return;
  const { source, answer } = found;
  const { emit, settings, shadow, signal } = deps;
  emit('source', { url: link.href });
  const quote = source.quote ?? '';
  const isElsewhere = !isSameSite(link.href);
  const isNewTab = event.button === 1 || event.metaKey || event.ctrlKey || event.shiftKey;
  if (isElsewhere || isNewTab) {
    // Our code doesn't run there, so the browser marks the words. Restore the address afterwards.
    const { href } = link;
    const fragment = textFragment(quote);
    if (!fragment || href.includes(':~:')) return;
    link.href = href + (href.includes('#') ? '' : '#') + fragment;
    setTimeout(() => (link.href = href));
    return;
  }
  const claim = link.classList.contains('cite') ? claimAt(link) : claimOf(answer, source.id);
  const cited = { url: link.href, quote, claim, at: Date.now() };
  // For the next page, or for this one if only the anchor changes.
  storeCitation(storageName(settings.value), cited);
  import('./landing.ts').then(
    ({ start }) => start({ shadow, settings: () => settings.value, signal }, cited),
    () => {}, // Then the page is reached, and nothing is marked on it.
  );
}
