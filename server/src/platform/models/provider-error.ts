/** What the body of a provider's error says. All providers that we know use the same format. */

interface ProviderError {
  message?: unknown;
  type?: unknown;
  code?: unknown;
}

/** The provider's own words, which say more than a status. */
export function providerMessage(body: string | undefined): string | undefined {
  const message = errorIn(body)?.message;
  return typeof message === 'string' ? message.slice(0, 300) : undefined;
}

/** OpenAI says so with status 429, as if it were busy. Others use status 400, 402, or 403. */
export function isOutOfCredit(body: string | undefined): boolean {
  const { type, code } = errorIn(body) ?? {};
  return type === 'insufficient_quota' || code === 'insufficient_quota';
}

function errorIn(body = ''): ProviderError | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return typeof error === 'object' && error !== null ? error : undefined;
  } catch {
    return undefined;
  }
}
