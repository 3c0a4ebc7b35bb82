import { expect, test } from 'vitest';
import { directionOfText } from './direction.ts';

test.each([
  ['Kestrel measures wind. [1]', 'ltr'],
  ['يقيس كيسترل الرياح. [1]', 'rtl'],
  // Begins with a Latin name, and is Arabic all the same.
  ['**Kestrel 4.2** (`kestrel-setup`) أداة لقياس الرياح وتسجيلها.', 'rtl'],
  ['`kestrel-setup install --with-all-the-options-that-there-are` شغِّل', 'rtl'],
  ['```sh\nkestrel-setup install\n```\nثم أعد التشغيل.', 'rtl'],
  ['קסטרל מודד רוח.', 'rtl'],
  ['The word «رياح» means wind.', 'ltr'],
  ['風を測ります。', 'ltr'],
  ['42 [1]', undefined],
  ['', undefined],
])('%s', (text, expected) => {
  expect(directionOfText(text)).toBe(expected);
});
