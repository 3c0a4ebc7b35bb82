/**
 * Whether a page's origin is on a site's list: exact, `https://*.example.com` for every subdomain (not
 * the domain itself), or `*`.
 */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  const asked = origin.toLowerCase();
  return allowed.some((pattern) => {
    if (pattern === '*' || pattern === asked) return true;
    const [scheme, host] = pattern.split('://*.');
    return (
      host !== undefined &&
      asked.startsWith(`${scheme}://`) &&
      asked.endsWith(`.${host}`) &&
      /^[a-z0-9.-]+(:\d+)?$/.test(asked.slice(`${scheme}://`.length))
    );
  });
}
