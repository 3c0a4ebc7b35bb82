/** Serves a built site with Vite's preview server. The caller stops the process. */
import { preview, type InlineConfig, type PreviewServer } from 'vite';

export async function serveSite(config: InlineConfig, outDir: string, port: number) {
  const before = { sigterm: process.listeners('SIGTERM'), end: process.stdin.listeners('end') };
  const server: PreviewServer = await preview({
    ...config,
    configFile: false,
    logLevel: 'silent',
    build: { outDir },
    preview: { host: '127.0.0.1', port, strictPort: true },
  });
  // Vite would end the process at SIGTERM while Docent finishes its answers.
  for (const listener of process.listeners('SIGTERM')) {
    if (!before.sigterm.includes(listener)) process.off('SIGTERM', listener);
  }
  for (const listener of process.stdin.listeners('end')) {
    if (!before.end.includes(listener)) process.stdin.off('end', listener as () => void);
  }
  return server;
}
