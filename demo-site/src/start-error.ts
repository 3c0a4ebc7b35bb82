/** Something that the person at the terminal can put right: shown as its one sentence. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
