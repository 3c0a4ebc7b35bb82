export interface DocentTag {
  /** The address of the service, such as `https://docent.example.com`. */
  url: string;
  /** The site's `domain` from the configuration file. */
  site: string;
  /** An assistant key. */
  key: string;
  /** Any other attribute of the script tag, in camel case without `data-`. */
  [option: string]: unknown;
}

/** VitePress: `extends: docent(…)`. Starlight: `plugins: [docent(…)]`. Docusaurus: by its name. */
// oxlint-disable-next-line typescript/no-explicit-any -- each generator has its own type
export default function docent(options: DocentTag): any;
