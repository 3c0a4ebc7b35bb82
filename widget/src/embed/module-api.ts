/** The types of `@docent/widget` and `/docent.mjs`. module.ts implements them. */
import type { DocentWidget } from './api.ts';
import type { DocentOptions } from './options.ts';

export type * from './api.ts';

/**
 * Puts a widget on the page, without a script tag and without a global. There is one for each `name`:
 * called again for it, these options take the place of those before, and the same object is returned.
 * Where there is no page, as on a server, it does nothing.
 */
export declare function createDocent(options: DocentOptions): DocentWidget;
