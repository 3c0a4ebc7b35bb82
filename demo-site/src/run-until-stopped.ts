import type { Demo } from '../start-demo.ts';

/**
 * On Ctrl+C and SIGTERM, running answers finish. A second signal ends the process immediately. The end of
 * `setup.mjs` stops it too, and `setup.mjs` learns where the site is.
 */
export function runUntilStopped(
  { siteUrl, close }: Pick<Demo, 'siteUrl' | 'close'>,
  beforeStop?: () => void,
): void {
  let isStopping = false;
  const stop = () => {
    if (isStopping) process.exit(130);
    isStopping = true;
    beforeStop?.();
    console.log('\n  Stopping …');
    close().then(
      () => {
        console.log('  Stopped.');
        process.exit(0);
      },
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  process.once('disconnect', () => isStopping || stop());
  process.send?.(siteUrl);
}
