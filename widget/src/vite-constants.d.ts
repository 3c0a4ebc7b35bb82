/** File names that the build writes into the loader; see vite.config.ts. */
declare const __DOCENT_PANEL__: string;
declare const __DOCENT_OFFERS__: string;
declare const __DOCENT_EXPLAIN__: string;
