/**
 * Puts values in the places of a text: `fill('Ask about {name}', { name })`. In a sentence that runs
 * from the right each word that is put in is isolated, so that it disturbs none of the order around it.
 */
export function fill(text: string, values: Record<string, string | number>): string {
  const isFromRight = /[\u0590-\u08ff]/.test(text);
  return text.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name] ?? place;
    return isFromRight && typeof value === 'string' ? `\u2068${value}\u2069` : `${value}`;
  });
}
