import { ulid } from 'ulid';

/** Makes ids: ULIDs, whose 80 random bits come from the system's generator, so they cannot be guessed. */
export type NewId = () => string;

export const newId: NewId = () => ulid();
