/** Limits for replies, because a proxy or a broken service may answer. None may harm the page. */

const maxBytes = 256 * 1024;

/** Longer questions would push the field out of the panel. */
const maxQuestion = 300;

export const clip = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max - 1).trimEnd()}…` : text;

export const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ');

export function toQuestions(value: unknown, max: number): string[] {
  const questions = new Set<string>();
  for (const each of Array.isArray(value) ? (value as unknown[]) : []) {
    if (questions.size === max) break;
    if (typeof each === 'string' && each.trim()) questions.add(clip(each, maxQuestion));
  }
  return [...questions];
}

/** An ID from the service, which accepts no longer ones. */
export const toName = (value: unknown): string | undefined =>
  typeof value === 'string' && value && value.length <= 200 ? value : undefined;

/** The text of a reply. Rejects if it's too long. */
export async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; reader;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    if (bytes > maxBytes) {
      reader.cancel().catch(() => {});
      throw new RangeError('The reply is too long');
    }
    text += decoder.decode(value, { stream: true });
  }
  return text;
}

/** Also rejects if the reply isn't JSON, for example a proxy's error page. */
export const readJson = async (response: Response): Promise<unknown> =>
  JSON.parse(await readText(response));
