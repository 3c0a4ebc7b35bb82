/** Attacks on the assistant and what counts as harm, for tests that ask the running service. */
export { citedIn, dangersIn } from '../src/reader/output-filter/testing.ts';
export { type Order, orders, type Place, places } from '../src/reader/ask/injections.ts';
