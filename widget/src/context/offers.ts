/** What a reader can ask about on the page itself: selected text, and blocks of code. */
import type { Offer } from '../panel-contract.ts';
import { offerCode } from './code-offer.ts';
import { offerSelection } from './selection-offer.ts';
import { offerStrings } from '../text/english.ts';
import { loadLanguage } from '../text/load-language.ts';
import paletteCss from '../styles/palette.css?inline';
import css from '../styles/offers.css?inline';

export const offer: Offer = (page) => {
  const { shadow, signal } = page;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(paletteCss + css);
  shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, sheet];
  signal.addEventListener('abort', () => {
    shadow.adoptedStyleSheets = shadow.adoptedStyleSheets.filter((one) => one !== sheet);
  });
  void loadLanguage((shadow.host as HTMLElement).lang).then((translation) => {
    if (signal.aborted) return;
    const text = { ...offerStrings, ...translation?.offer };
    offerSelection(page, text);
    offerCode(page, text);
  });
};
