const maxRedirects = 3;

/**
 * `fetch` that gives up after a while and never leaves the origin: a repository that was renamed answers
 * with a redirect, and one to another host would take the token with it.
 */
export function fetchWithin(home: string, timeoutMs: number): typeof fetch {
  const { origin } = new URL(home);
  return async (input, init = {}) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    let url = new URL(input instanceof Request ? input.url : input);
    for (let redirects = 0; ; redirects += 1) {
      const response = await fetch(url, { ...init, signal, redirect: 'manual' });
      const location = response.headers.get('location');
      if (![301, 302, 307, 308].includes(response.status) || location === null) return response;
      await response.body?.cancel();
      url = new URL(location, url);
      if (url.origin !== origin || redirects === maxRedirects) {
        throw new TypeError('The host leads elsewhere');
      }
    }
  };
}
