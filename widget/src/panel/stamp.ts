import type { Message } from '../chat/message.ts';
import { fill, type Text } from '../text/text.ts';

/** Of which day and version the documentation is that an answer is from. */
export function stampOf(
  { asOf, versions: version }: Pick<Message, 'asOf' | 'versions'>,
  text: Pick<Text, 'asOf' | 'asOfVersion'>,
  locale?: string,
): string {
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(asOf);
  return version ? fill(text.asOfVersion, { date, version }) : fill(text.asOf, { date });
}
