import type { PageHost } from '../loader/page-hints.ts';
import { offerCode } from './code-offer.ts';
import { createOfferText } from './offer-text.ts';
import { offerSelection } from './selection-offer.ts';
import { offerStrings } from '../text/english.ts';
import { adoptStyles } from '../styles/adopt-styles.ts';
import paletteCss from '../styles/palette.css?inline';
import css from '../styles/offers.css?inline';

export function start(page: PageHost): void {
  const { shadow, signal } = page;
  signal.addEventListener('abort', adoptStyles(shadow, paletteCss + css));
  void createOfferText(page, offerStrings).then((text) => {
    if (signal.aborted) return;
    offerSelection(page, text);
    offerCode(page, text);
  });
}
