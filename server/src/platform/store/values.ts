/**
 * What both databases can keep: PostgreSQL takes no character NUL in a text, so neither gets one. The
 * sign that stands in its place is the one for characters that cannot be shown.
 */
export function toStorable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\uFFFD')
    : value;
}
