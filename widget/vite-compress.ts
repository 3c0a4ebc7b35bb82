/** The build's files, small as they can be: the server sends them so and need not compress. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

export async function compressFiles(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  await Promise.all(
    names
      .filter((name) => /\.(js|css)$/.test(name) || name === 'docent.mjs')
      .map(async (name) => {
        const path = join(folder, name);
        const text = await readFile(path);
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
        };
        await writeFile(`${path}.br`, await toBrotli(text, { params }));
        await writeFile(`${path}.gz`, await toGzip(text, { level: constants.Z_BEST_COMPRESSION }));
      }),
  );
}
