import { routeOf } from '../page-context/page.ts';

/** `?ask=…` in a page's address: a question for the field. */
const name = 'ask';
/** Longer addresses don't work everywhere. */
const maxQuestion = 2000;

/**
 * Takes the question out of the address, so that a reload doesn't ask again. The rest of the
 * address and the router's state stay.
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
  return question.slice(0, maxQuestion);
}

/** An address of this page that asks the question. `undefined` if it's switched off or too long. */
export function linkToAsk(
  question: string,
  setting: 'prefill' | 'send' | 'off',
  href: string,
): string | undefined {
  if (setting === 'off' || question.length > maxQuestion) return undefined;
  const url = new URL(href);
  url.searchParams.set(name, question);
  // Drop an anchor, but keep a router's path.
  url.hash = routeOf(url.hash) ?? '';
  return url.href;
}
