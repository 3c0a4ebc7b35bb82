/** What the build writes into the loader: the files it loads, see vite-verify.ts. */
declare const __DOCENT_FILES__: import('./load.ts').Files;
