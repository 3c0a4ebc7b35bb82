/** What a reader can ask about on the page itself: selected text, and blocks of code. */
import type { PageHost } from '../loader/page-hints.ts';
import { offerCode } from './code-offer.ts';
import { createOfferText } from './offer-text.ts';
import { offerSelection } from './selection-offer.ts';
import paletteCss from '../styles/palette.css?inline';
import css from '../styles/offers.css?inline';

export function offer(page: PageHost): void {
  const { shadow, signal } = page;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(paletteCss + css);
  shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, sheet];
  signal.addEventListener('abort', () => {
    shadow.adoptedStyleSheets = shadow.adoptedStyleSheets.filter((one) => one !== sheet);
  });
  void createOfferText(page).then((text) => {
    if (signal.aborted) return;
    offerSelection(page, text);
    offerCode(page, text);
  });
}
