/** A task of its own for what follows: the browser can draw and hear its reader in between. */
export const nextTask = (): Promise<undefined> => new Promise((resolve) => setTimeout(resolve));
