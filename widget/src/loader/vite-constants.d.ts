/** The loader's files as `name=sha256`. See vite-verify.ts. */
declare const __DOCENT_FILES__: readonly string[];
/** The build is an ES module. */
declare const __DOCENT_IS_MODULE__: boolean;
