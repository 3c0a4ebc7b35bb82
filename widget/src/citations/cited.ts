/** What a reader followed a citation to, kept in the tab until the page is there. */
import { flagKey } from '../loader/flags.ts';

export interface Cited {
  url: string;
  /** Words of that section, as the service has them. */
  quote: string;
  /** What the answer says with them. */
  claim: string;
  /** When it was followed: an old one is of another visit. */
  at: number;
}

const maxWaitMs = 60_000;

/** `name`: of the widget's storage. */
export function keepCited(name: string, cited: Cited): void {
  try {
    sessionStorage.setItem(flagKey(name, 'cited'), JSON.stringify(cited));
  } catch {
    // Denied: then the page is reached, and nothing is marked on it.
  }
}

/** Given once: a reload marks nothing. */
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
