/** The AI SDK, loaded when it is first needed: it takes a fifth of a second. */
export async function importSdk() {
  // It writes what it thinks of models and settings to the console, past the log.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return import('ai');
}
