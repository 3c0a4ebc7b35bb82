import type { Page } from 'playwright-core';

/**
 * The texts of the widget that have less than 4.5 to 1 against what is behind them, by WCAG 2's sum
 * over computed styles. What is disabled is exempt there, and here.
 */
export function findUnreadable(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const paint = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    /** Any CSS colour as red, green, blue and alpha, over what is already there. */
    const over = (colours: string[]): number[] => {
      if (!paint) throw new Error('No canvas');
      paint.clearRect(0, 0, 1, 1);
      for (const colour of colours) {
        paint.fillStyle = colour;
        paint.fillRect(0, 0, 1, 1);
      }
      return [...paint.getImageData(0, 0, 1, 1).data];
    };
    const luminance = (rgb: number[]) => {
      const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const parentOf = (element: Element) =>
      element.parentElement ?? (element.getRootNode() as ShadowRoot).host ?? null;
    /** What is painted behind an element's text, from the page's white upwards. */
    const behind = (element: Element): string[] => {
      const colours: string[] = [];
      for (let at: Element | null = element; at; at = parentOf(at)) {
        colours.unshift(getComputedStyle(at).backgroundColor);
      }
      return ['#fff', ...colours];
    };
    const shadow = document.querySelector('docent-widget')?.shadowRoot;
    return [...(shadow?.querySelectorAll('*') ?? [])].flatMap((element) => {
      const words = [...element.childNodes]
        .filter((node) => node instanceof Text)
        .map((node) => node.data.trim())
        .join('');
      const isSeen = element.checkVisibility({ visibilityProperty: true });
      if (!words || !isSeen || element.closest(':disabled, .unseen')) return [];
      const back = behind(element);
      const [text, ground] = [
        luminance(over([...back, getComputedStyle(element).color])),
        luminance(over(back)),
      ];
      const ratio = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
      return ratio < 4.5 ? [`${ratio.toFixed(2)} ${element.className}: ${words.slice(0, 40)}`] : [];
    });
  });
}
