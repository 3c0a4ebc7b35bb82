/** What the body of a provider's error says. */

interface ProviderError {
  message?: unknown;
  type?: unknown;
  code?: unknown;
}

/** The provider's own words, which say more than a status. */
export function providerMessage(body = ''): string | undefined {
  const said = sentenceIn(toJson(body)) ?? plainText(body);
  return said?.slice(0, 300).toWellFormed();
}

/** OpenAI says so with status 429, as if it were busy. Others use status 400, 402, or 403. */
export function isOutOfCredit(body: string | undefined): boolean {
  const { type, code } = errorIn(body) ?? {};
  return type === 'insufficient_quota' || code === 'insufficient_quota';
}

/** `{error: {…}}`, as OpenAI, llama.cpp, Ollama, and LocalAI write errors. */
export function errorIn(body: string | undefined): ProviderError | undefined {
  const { error } = (toJson(body) ?? {}) as { error?: unknown };
  return typeof error === 'object' && error !== null ? error : undefined;
}

/** Also `{error: "…"}` (LM Studio), `{message}` (TEI, older vLLM), and `{detail: [{msg}]}` (Infinity). */
function sentenceIn(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const { error, message, detail } = json as Record<string, unknown>;
  const [first] = Array.isArray(detail) ? (detail as unknown[]) : [];
  const { msg } = (first ?? {}) as { msg?: unknown };
  const nested = (error ?? {}) as ProviderError;
  const texts = [nested.message, error, message, detail, msg];
  return texts.find((one) => typeof one === 'string' && one !== '') as string | undefined;
}

/** A page of HTML is a proxy's, and says nothing. */
function plainText(body: string): string | undefined {
  const text = body.slice(0, 300).trim();
  return text === '' || /^[<{[]/.test(text) ? undefined : text;
}

function toJson(body = ''): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
