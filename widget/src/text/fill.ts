/**
 * Fills the places of a text: `fill('Ask about {name}', { name })`. In right-to-left text, each
 * value is isolated, so that the order around it stays.
 */
export function fill(text: string, values: Record<string, string | number>): string {
  const isFromRight = /[\u0590-\u08ff]/.test(text);
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name] ?? placeholder;
    return isFromRight && typeof value === 'string' ? `\u2068${value}\u2069` : `${value}`;
  });
}
