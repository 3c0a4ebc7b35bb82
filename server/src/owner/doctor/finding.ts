/** What a check found: something that works, something worth knowing, or a problem with its solution. */
export type Finding =
  | { kind: 'fine'; text: string }
  | { kind: 'note'; text: string }
  | { kind: 'problem'; text: string; fix: string };

export const fine = (text: string): Finding => ({ kind: 'fine', text });
export const note = (text: string): Finding => ({ kind: 'note', text });
export const problem = (text: string, fix: string): Finding => ({ kind: 'problem', text, fix });

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
