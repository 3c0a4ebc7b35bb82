/**
 * Stands in for the types of highlight.js, which bring all of the browser's with them: code that runs
 * in Node would then be checked against a `ReadableStream` that Node does not have.
 */
export type LanguageFn = (hljs: never) => object;

declare const language: LanguageFn;
export default language;
