/** The citation that a reader followed, stored in the tab until its page has loaded. */
import { flagKey } from '../loader/flags.ts';

export interface FollowedCitation {
  url: string;
  quote: string;
  /** What the answer says about it. */
  claim: string;
  at: number;
}

const maxWaitMs = 60_000;

export function storeCitation(name: string, cited: FollowedCitation): void {
  try {
    sessionStorage.setItem(flagKey(name, 'cited'), JSON.stringify(cited));
  } catch {
    // Storage is denied, so nothing is marked on the page.
  }
}

/** Returns the citation once, so that a reload marks nothing. */
export function takeCitation(name: string): FollowedCitation | undefined {
  try {
    const stored = sessionStorage.getItem(flagKey(name, 'cited'));
    sessionStorage.removeItem(flagKey(name, 'cited'));
    const value = JSON.parse(stored ?? 'null') as Partial<FollowedCitation> | null;
    const { url, quote, claim, at } = value ?? {};
    const isWhole = [url, quote, claim].every((one) => typeof one === 'string');
    if (!isWhole || typeof at !== 'number' || Date.now() - at > maxWaitMs) return undefined;
    return value as FollowedCitation;
  } catch {
    return undefined;
  }
}
