/**
 * The build wraps each `import()` of the panel in `verified`, which checks the file before it runs.
 */
import type { Verify } from './load.ts';

let verify: Verify | undefined;

/** The loader passes its list of files. Without a loader, as in tests, nothing is checked. */
export const verifyWith = (given: Verify): void => void (verify = given);

/** `entry`: the name of the file in the list. See vite-verify.ts. */
export async function verified<Module>(
  entry: string,
  load: () => Promise<Module>,
): Promise<Module> {
  await verify?.(entry);
  return load();
}
