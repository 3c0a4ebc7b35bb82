import type { Finding } from '@docent/shared/sites';

/** What a check found: something that works, something worth knowing, or a problem. */
export type { Finding };

export const fine = (text: string): Finding => ({ kind: 'fine', text });
export const note = (text: string): Finding => ({ kind: 'note', text });

/** Without `fix`, the text says what to do. */
export const problem = (text: string, fix?: string): Finding => ({
  kind: 'problem',
  text,
  ...(fix !== undefined && { fix }),
});

/** A measured number, as short as it's worth. */
export const shortNumber = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 });

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
