/** Imports the AI SDK on first use, because it takes a fifth of a second to load. */
export async function importSdk() {
  // Otherwise it writes warnings to the console instead of the log.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return import('ai');
}
