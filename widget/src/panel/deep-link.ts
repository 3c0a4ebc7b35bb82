import { routeOf } from '../page-context/page.ts';

/** `?ask=…` in a page's address: a question that is waiting in the field when the page opens. */
const name = 'ask';
/** Longer ones do not survive everything that handles addresses. */
const longest = 2000;

/**
 * The question in the address; it is taken out, so that a reload does not ask twice and a copied
 * address does not carry somebody's words. The rest stays as it was written, and so does what the
 * page's own router keeps with this step of the history.
 */
export function takeQuestion(): string {
  const { search, pathname, hash } = location;
  const question = new URLSearchParams(search).get(name)?.trim();
  if (!question) return '';
  const rest = search
    .slice(1)
    .split('&')
    .filter((each) => !each.startsWith(`${name}=`))
    .join('&');
  history.replaceState(history.state, '', pathname + (rest && `?${rest}`) + hash);
  return question.slice(0, longest);
}

/** An address of this page that asks the question; `undefined` where it would not be heard or is too long. */
export function linkToAsk(
  question: string,
  setting: 'prefill' | 'send' | 'off',
  href: string,
): string | undefined {
  if (setting === 'off' || question.length > longest) return undefined;
  const url = new URL(href);
  url.searchParams.set(name, question);
  // A place on the page is nothing to the question; a page that a router keeps there is.
  url.hash = routeOf(url.hash) ?? '';
  return url.href;
}
