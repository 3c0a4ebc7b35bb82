/** What the build writes into the loader: the files it loads as `name=sha256`, see vite-verify.ts. */
declare const __DOCENT_FILES__: readonly string[];
/** Built as an ES module, not as the script of a tag. */
declare const __DOCENT_IS_MODULE__: boolean;
