/**
 * Notices when an answer begins to recite what the model was told. The rules are no secret that
 * anything hangs on, but they are not an answer either. Paraphrases and codes are not noticed.
 */

/** From so many words in a row on, text is held back, */
const held = 4;
/** and with so many it is a recital. */
const recital = 8;

const none: ReadonlyMap<number, number> = new Map();

/** `told` are the texts that a model gets from us; `isKnown` says whether the documentation has these words too. */
export function createPromptLeak(told: RecitalIndex, isKnown: (words: string) => boolean) {
  /** How long the runs of told words are that end here, by the place where each ends. */
  let runs: ReadonlyMap<number, number> = none;
  let word = '';
  let waiting = '';
  let recent: string[] = [];
  let isFound = false;

  /** The longest run of the told words that ends here. */
  function take(next: string): number {
    recent.push(next);
    if (recent.length > recital) recent = recent.slice(-recital);
    const places = told.get(next.toLowerCase());
    if (!places) {
      runs = none;
      return 0;
    }
    const longer = new Map<number, number>();
    let longest = 0;
    for (const place of places) {
      const run = (runs.get(place - 1) ?? 0) + 1;
      longer.set(place, run);
      if (run > longest) longest = run;
    }
    runs = longer;
    return longest;
  }

  /** Whether it may become a recital that is none yet. */
  function mayRecite(from: number): boolean {
    for (const run of runs.values()) if (run >= from && run < recital) return true;
    return false;
  }

  return {
    /** The text that may be shown so far; nothing more once it is a recital. */
    push(text: string): string {
      if (isFound) return '';
      let shown = '';
      for (const [piece] of text.matchAll(/[a-z0-9]+|[^a-z0-9]+/gi)) {
        if (/[a-z0-9]/i.test(piece)) {
          word += piece;
          waiting += piece;
          continue;
        }
        const length = word === '' ? undefined : take(word);
        word = '';
        waiting += piece;
        if (length !== undefined && length >= recital && !isKnown(recent.join(' '))) {
          isFound = true;
          waiting = '';
          return shown;
        }
        if (!mayRecite(held)) {
          shown += waiting;
          waiting = '';
        }
      }
      // A word that has only begun is shown as it comes, unless it may go on with a recital.
      if (!mayRecite(held - 1)) {
        shown += waiting;
        waiting = '';
      }
      return shown;
    },

    end(): string {
      if (isFound) return '';
      if (word !== '' && take(word) >= recital && !isKnown(recent.join(' '))) isFound = true;
      return isFound ? '' : waiting;
    },

    get isFound() {
      return isFound;
    },
  };
}

/** Where each word stands in the texts. */
export type RecitalIndex = ReadonlyMap<string, readonly number[]>;

export function indexRecital(texts: readonly string[]): RecitalIndex {
  const index = new Map<string, number[]>();
  let place = 0;
  for (const text of texts) {
    for (const word of wordsOf(text)) {
      const places = index.get(word) ?? [];
      places.push(place++);
      index.set(word, places);
    }
    // Two texts are not one.
    place++;
  }
  return index;
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}
