/** What the service shows a host of repositories. */
import { JobError } from '../../../platform/errors.ts';

export interface RemoteAccess {
  /** For sentences: whose rights they are. */
  holder: string;
  /** The token to show now. */
  token(): Promise<string>;
}

/** A token from an environment variable. Without one, every request is refused with the mistake. */
export function createTokenAccess(
  holder: string,
  /** Asked each time: in the dashboard, another one may take its place. */
  read: () => string | undefined,
  mistake: string,
): RemoteAccess {
  return {
    holder,
    async token() {
      const token = read();
      if (token !== undefined) return token;
      throw new JobError('forge_not_configured', mistake);
    },
  };
}

export const createVariableAccess = (
  variable: string,
  secret: (variable: string) => string | undefined,
): RemoteAccess =>
  createTokenAccess(
    // What was connected in the dashboard has a name that no variable has.
    variable.includes(' ') ? 'the connected token' : `the token in ${variable}`,
    () => secret(variable),
    `The environment variable ${variable} is empty; set it to a token for the repository.`,
  );
