/** The first names for a sentence: `a, b and 7 more`. */
export function nameSome(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
