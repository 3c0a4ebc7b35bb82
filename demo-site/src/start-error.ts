/** An error that the user can fix. The terminal shows only its message. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
