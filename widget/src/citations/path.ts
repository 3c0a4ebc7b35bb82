/** `/install#script-tag`; with the host where it is another site's. */
function pathOf(url: string): string {
  const { origin, host, pathname, hash } = new URL(url, location.href);
  const path = decodeURI(pathname) + decodeURI(hash);
  return origin === location.origin ? path : host + path;
}

/** An address as a reader reads it. */
export function pathForShow(url: string): string {
  try {
    return pathOf(url);
  } catch {
    return url; // A stray % that decodes to nothing.
  }
}
