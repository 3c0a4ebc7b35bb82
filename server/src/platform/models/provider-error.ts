/** What the body of a provider's error says. */

interface ProviderError {
  message?: unknown;
  type?: unknown;
  code?: unknown;
  /** vLLM: what is wrong. */
  param?: unknown;
  /** llama.cpp: what it counted. */
  n_prompt_tokens?: unknown;
}

/** The provider's own words, which say more than a status. */
export function providerMessage(body = ''): string | undefined {
  const said = sentenceIn(body) ?? plainText(body);
  return said?.slice(0, 300).toWellFormed();
}

/** OpenAI says so with status 429, as if it were busy. Others use status 400, 402, or 403. */
export function isOutOfCredit(body: string | undefined): boolean {
  const { type, code } = errorIn(body) ?? {};
  return type === 'insufficient_quota' || code === 'insufficient_quota';
}

/**
 * `{error: {…}}`, as OpenAI, llama.cpp, Ollama, and LocalAI write errors. Ollama writes the whole body of its
 * llama-server where the sentence belongs.
 */
export function errorIn(body: string | undefined): ProviderError | undefined {
  const { error } = (toJson(body) ?? {}) as { error?: ProviderError | null };
  if (typeof error !== 'object' || error === null) return undefined;
  return (typeof error.message === 'string' && errorIn(error.message)) || error;
}

/** Also `{error: "…"}` (LM Studio), `{message}` (TEI, older vLLM), and `{detail: [{msg}]}` (Infinity). */
function sentenceIn(body: string): string | undefined {
  const { error, message, detail } = (toJson(body) ?? {}) as Record<string, unknown>;
  const [first] = Array.isArray(detail) ? (detail as unknown[]) : [];
  const { msg } = (first ?? {}) as { msg?: unknown };
  const texts = [errorIn(body)?.message, error, message, detail, msg];
  return texts.find((one) => typeof one === 'string' && one !== '') as string | undefined;
}

/** The tokens of a prompt that the context can't hold; `Infinity` if the server doesn't say how many. */
export function excessIn(body: string | undefined): number | undefined {
  const { type, param, n_prompt_tokens: tokens } = errorIn(body) ?? {};
  if (type !== 'exceed_context_size_error' && param !== 'input_tokens') return undefined;
  return typeof tokens === 'number' ? tokens : Infinity;
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
