/** One message for the owner of the site. A reader never sees it, and nothing is thrown. */
export function warn(message: string): void {
  console.warn(`[docent] ${message}`);
}
