/** The build writes the loader's files here, as `name=sha256`. See vite-verify.ts. */
declare const __DOCENT_FILES__: readonly string[];
/** Built as an ES module, not as the script of a tag. */
declare const __DOCENT_IS_MODULE__: boolean;
