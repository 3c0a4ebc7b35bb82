/** Chance that comes out the same in every run (mulberry32), so that what fails can be looked at again. */
export function createRandom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    /** A whole number from 0 to below `end`. */
    below,
    isTrue: (chance: number) => next() < chance,
    pick: <Item>(from: readonly Item[]): Item => from[below(from.length)] as Item,
    /** Some of them, perhaps none. */
    some: <Item>(from: readonly Item[]): Item[] => from.filter(() => next() < 0.5),
  };
}
