/** Writes a first `docent.config.mjs`. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { generators } from '../../docs/generators/layout.ts';
import { nameSome } from '../../platform/text.ts';
import { detectSite, domainOf, originsOf } from './detect-site.ts';

/** Every Node.js loads an `.mjs` file without a build and without a warning about the module type. */
const fileName = 'docent.config.mjs';

const maxOthers = 5;

/** `folder` has no configuration. `html`: a folder of the built site, which is read instead of the sources. */
export async function writeFirstConfig(
  folder: string,
  say: (line: string) => void,
  html?: string,
): Promise<string> {
  const site = await detectSite(folder, html);
  const domain = domainOf(site.name);
  const origins = originsOf(site);
  const sources = site.built?.pages?.find((one) => existsSync(join(folder, one)));
  const text = `export default {
  sites: [
    {
      domain: ${quote(domain)},
      organization: ${quote(domain)},
      name: ${quote(site.name)},
      docs: {
        ${site.html === undefined ? `folder: ${quote(site.docs)},` : `sources: [{ type: 'html', folder: ${quote(site.html)}${sources === undefined ? '' : `, sources: ${quote(`./${sources}`)}`} }],`}
        // The address of the published site. Without it, citations lead to the site that shows them.
        ${site.url === undefined ? `// baseUrl: 'https://docs.example.com',` : `baseUrl: ${quote(site.url)},`}
      },
      // The sites whose pages may ask. Add your public address.
      allowedOrigins: [${origins.map(quote).join(', ')}],
    },
  ],
};
`;
  const file = join(folder, fileName);
  await writeFile(file, text, { flag: 'wx' });
  // The data has secrets and doesn't belong into the repository of the site.
  await mkdir(join(folder, '.docent'), { recursive: true, mode: 0o700 });
  await writeFile(join(folder, '.docent/.gitignore'), '*\n');
  const pages = site.docs === '.' ? 'this folder' : site.docs;
  const from = site.html === undefined ? `pages in ${pages}` : `the built pages in ${site.html}`;
  say(`Wrote ${fileName}: ${site.built?.generator ?? generators[site.generator].name}, ${from}.`);
  if (site.built && site.html === undefined) {
    const { generator, command, output } = site.built;
    say(
      `Only the build of ${generator} knows all pages and their addresses. Build the site ("${command}" writes ${output}), delete ${fileName}, and run "docent init --html ${output}".`,
    );
  }
  for (const { setting, line } of site.unknown) {
    const took = /title|name/i.test(setting)
      ? `The name is ${quote(site.name)}`
      : /url|site|hostname/i.test(setting)
        ? site.url === undefined
          ? 'There is no baseUrl'
          : `The baseUrl is ${quote(site.url)}`
        : 'The usual value is taken';
    say(
      `${relative(folder, site.settings ?? '')}${line === 0 ? '' : `:${line}`}: "${setting}" is known only to the build. ${took}. If that is wrong, change ${fileName}.`,
    );
  }
  const { translations, generator } = site;
  const [translation] = translations;
  if (translation) {
    const { folder: path, basePath, language } = translation;
    const languages = nameSome(
      translations.map((one) => one.language),
      maxOthers,
    );
    const more =
      basePath === undefined
        ? ''
        : `, generator: '${generator}', basePath: '${basePath}', language: '${language}'`;
    say(
      `Translations in other folders: ${languages}. To answer from them too, write sources: [{ type: 'folder', folder: ${quote(site.docs)} }, { type: 'folder', folder: ${quote(path)}${more} }] in place of the folder.`,
    );
  }
  if (site.others.length > 0) {
    const some = site.others.slice(0, maxOthers).join(', ');
    const more =
      site.others.length > maxOthers ? `, and ${site.others.length - maxOthers} more` : '';
    say(
      `Other sites in this project: ${some}${more}. To add one, run "docent init" in its folder, or add it to "sites".`,
    );
  }
  return file;
}

const quote = (text: string) =>
  `'${text.replaceAll(/[\\']/g, String.raw`\$&`).replaceAll('\n', ' ')}'`;
