/** A task of its own for what follows: the browser can draw and hear its reader in between. */
export const turn = (): Promise<undefined> => new Promise((resolve) => setTimeout(resolve));
