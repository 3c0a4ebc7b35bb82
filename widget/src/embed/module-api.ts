/** The types of `@docent/widget` and `/docent.mjs`. module.ts implements them. */
import type { DocentWidget } from './api.ts';
import type { DocentOptions } from './options.ts';

export type * from './api.ts';

/**
 * Puts a widget on the page, without a script tag and without a global. There is one widget per
 * `name`: another call updates its options and returns the same object. On a server, it does
 * nothing.
 */
export declare function createDocent(options: DocentOptions): DocentWidget;
