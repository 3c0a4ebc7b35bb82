/** Loads one of the files beside the loader, on the host that the loader came from. */
export const load = <Module>(base: string, file: string): Promise<Module> =>
  import(/* @vite-ignore */ `${base}/widget/${file}`);
