/**
 * Throttles guesses of passwords and codes. Limits refuse by network, and by account and network. Guesses
 * of strangers from many networks slow down the account's next stranger; they never refuse, so nobody can
 * lock somebody else out. A network that has signed in to the account this month isn't refused because of
 * others there, but slowed down after ten guesses: behind a proxy, it can be everybody's.
 */
import { sha256 } from '../../platform/hash.ts';
import { DocentError } from '../../platform/errors.ts';
import { type CounterDeps, createCounter, windowOf } from '../../platform/limits/counters.ts';

const perNetworkAndHour = 60;
const perAccountAndHour = 10;
/** From a network that has signed in to the account this month: others there may guess too. */
const perKnownAccountAndHour = 300;
/** Codes of one account from all networks. Nobody without the password gets there, so it locks nobody out. */
const codesPerAccountAndHour = 30;
/** Guesses of strangers in an hour before the next one is slowed down, by a second for each so many more. */
const strangersAndHour = 50;
const maxDelayMs = 5_000;

export type Guesses = ReturnType<typeof createGuesses>;

export function createGuesses(deps: CounterDeps) {
  const networks = createCounter(deps, 'guess-network-hour', 'hour');
  const pairs = createCounter(deps, 'guess-account-network-hour', 'hour');
  const strangers = createCounter(deps, 'guess-account-hour', 'hour');
  const codes = createCounter(deps, 'guess-code-hour', 'hour');
  const known = createCounter(deps, 'known-network-month', 'month');

  /**
   * Counts a guess, as if it were wrong, before it's checked: so guesses at the same time count too.
   * Call the result if it was right. The answer is the same whether the account exists.
   */
  return async (guess: {
    what: 'password' | 'code';
    account: string;
    network: string;
  }): Promise<() => Promise<void>> => {
    const { network } = guess;
    const account = digest(`${guess.what}\n${guess.account}`);
    const pair = digest(`${guess.what}\n${guess.account}\n${network}`);
    const here = digest(`${guess.account}\n${network}`);
    const isCode = guess.what === 'code';
    const [ofNetwork, ofPair, ofCodes, hitsHere] = await Promise.all([
      networks.increment(network),
      pairs.increment(pair),
      isCode ? codes.increment(account) : undefined,
      known.hits(here),
    ]);
    const isKnown = hitsHere > 0;
    const isRefused = isKnown
      ? ofPair.totalHits > perKnownAccountAndHour
      : ofNetwork.totalHits > perNetworkAndHour || ofPair.totalHits > perAccountAndHour;
    if (isRefused || (ofCodes?.totalHits ?? 0) > codesPerAccountAndHour) throw tooMany(deps.now());
    const delayMs = isKnown
      ? slowDownMs(Math.max(0, ofPair.totalHits - perAccountAndHour))
      : slowDownMs((await strangers.increment(account)).totalHits);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    return async function wasRight(): Promise<void> {
      await Promise.all([
        networks.decrement(network),
        pairs.resetKey(pair),
        !isKnown && strangers.decrement(account),
        isCode && codes.resetKey(account),
        known.increment(here),
      ]);
    };
  };
}

export const slowDownMs = (guesses: number): number =>
  Math.min(maxDelayMs, Math.max(0, Math.floor(guesses / strangersAndHour) * 1_000));

/** Counters don't hold addresses of people. */
const digest = (text: string) => sha256(text, 'base64url').slice(0, 22);

const tooMany = (now: Date) =>
  new DocentError('rate_limited', 'Too many wrong attempts. Please try again in an hour.', {
    retryAfter: Math.ceil((windowOf('hour', now).end.getTime() - now.getTime()) / 1000),
  });
