import type { DocentOptions } from '../widget/types/module-api.js';

/** Every option of the widget that a tag can have. */
export type DocentTag = Omit<DocentOptions, 'target'> & { target?: string };

/** VitePress: `extends: docent(…)`. Starlight: `plugins: [docent(…)]`. Docusaurus: by its name. */
// oxlint-disable-next-line typescript/no-explicit-any -- each generator has its own type
export default function docent(options: DocentTag): any;
