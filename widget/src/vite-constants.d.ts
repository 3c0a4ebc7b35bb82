/** What the build writes into the loader: the files it loads as `name=sha256`, see vite-verify.ts. */
declare const __DOCENT_FILES__: readonly string[];
