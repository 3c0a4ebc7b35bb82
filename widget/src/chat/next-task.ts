/** Lets the browser draw and handle input before the code that follows. */
export const nextTask = (): Promise<undefined> => new Promise((resolve) => setTimeout(resolve));
