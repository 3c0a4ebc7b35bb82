function pathOf(url: string): string {
  const { origin, host, pathname, hash } = new URL(url, location.href);
  const path = decodeURI(pathname) + decodeURI(hash);
  return origin === location.origin ? path : host + path;
}

/** A short address for readers: `/install#script-tag`, with the host if it's another site. */
export function pathForShow(url: string): string {
  try {
    return pathOf(url);
  } catch {
    return url; // A stray % that decodes to nothing.
  }
}
