/** The public key that `docent init` puts into the script tag and `docent start` into its page. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BaseServices } from '../open-services.ts';
import type { KeyEditor } from '../accounts/keys/keys.ts';
import type { Site } from '../platform/tenants/sites.ts';

/** Every reader of the site sees the key, so it can be stored. A revoked one is replaced. */
export async function siteKey(
  { config, keys }: Pick<BaseServices, 'config' | 'keys'>,
  { domain, organization }: Pick<Site, 'domain' | 'organization'>,
  by?: KeyEditor,
): Promise<string> {
  const folder = join(config.server.dataFolder, 'site-keys');
  const file = join(folder, domain);
  const stored = await readFile(file, 'utf8').catch(() => '');
  if (stored !== '' && (await keys.find(stored))?.domain === domain) return stored;
  const name = 'Script tag';
  const { token } = await keys.create({ kind: 'assistant', organization, domain, name }, by);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(file, token, { mode: 0o600 });
  return token;
}
