/** A refusal of a file tool. The message tells the model what to do instead. */
export class FileError extends Error {
  override readonly name: string = 'FileError';
}

/** The job may not read or change this file. */
export class NotAllowed extends FileError {}
