/**
 * Replaces the types of highlight.js, which include all browser types. With them, TypeScript would
 * check Node.js code against the browser's `ReadableStream`.
 */
export type LanguageFn = (hljs: never) => object;

declare const language: LanguageFn;
export default language;
