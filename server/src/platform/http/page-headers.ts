/**
 * The headers of our own pages: only our files load, no site can frame a page, and nothing of a page stays
 * in a cache.
 */
export const pageHeaders = ({
  referrer,
  hasFonts = false,
}: {
  referrer: 'no-referrer' | 'same-origin';
  hasFonts?: boolean;
}): Record<string, string> => ({
  'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'; ${hasFonts ? "font-src 'self'; " : ''}img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': referrer,
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
});
