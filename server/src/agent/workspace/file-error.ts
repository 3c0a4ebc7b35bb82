/** The kind of refusal. */
export type FileErrorKind =
  | 'invalid'
  | 'missing'
  | 'outside'
  | 'protected'
  | 'private'
  | 'link'
  | 'conflict'
  | 'not-text'
  | 'too-large'
  | 'no-match';

/** A refusal of a file tool. The message tells the model what to do instead. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly kind: FileErrorKind;

  constructor(kind: FileErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
