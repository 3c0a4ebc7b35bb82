/** What is the matter, for counting and for the record of denials. */
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

/** What a file tool refuses: its message is a sentence for the model that says what to do instead. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly kind: FileErrorKind;

  constructor(kind: FileErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
