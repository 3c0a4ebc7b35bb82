/** The citation that a reader followed, kept in the tab until its page has loaded. */
import { flagKey } from '../loader/flags.ts';

export interface Cited {
  url: string;
  quote: string;
  /** What the answer says about it. */
  claim: string;
  at: number;
}

const maxWaitMs = 60_000;

export function keepCited(name: string, cited: Cited): void {
  try {
    sessionStorage.setItem(flagKey(name, 'cited'), JSON.stringify(cited));
  } catch {
    // Storage is denied, so nothing is marked on the page.
  }
}

/** Returns the citation once, so that a reload marks nothing. */
export function takeCited(name: string): Cited | undefined {
  try {
    const kept = sessionStorage.getItem(flagKey(name, 'cited'));
    sessionStorage.removeItem(flagKey(name, 'cited'));
    const value = JSON.parse(kept ?? 'null') as Partial<Cited> | null;
    const { url, quote, claim, at } = value ?? {};
    const isWhole = [url, quote, claim].every((one) => typeof one === 'string');
    if (!isWhole || typeof at !== 'number' || Date.now() - at > maxWaitMs) return undefined;
    return value as Cited;
  } catch {
    return undefined;
  }
}
