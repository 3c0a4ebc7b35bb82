/** A message for the site's owner. */
export function warn(message: string): void {
  console.warn(`[docent] ${message}`);
}
