/** The script tag that the plugins of the generators put on every page. */

/** The attributes of the tag: every option of the widget is `data-…`. */
export function attributesOf({ url, ...options }) {
  if (!url || !options.site || !options.key) {
    throw new Error(
      'docent: the plugin needs url, site, and key, such as { url: "https://docent.example.com", site: "acme-docs", key: "svc_dsc_…" }. `docent init` prints them.',
    );
  }
  const data = Object.entries(options)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [
      `data-${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      Array.isArray(value)
        ? value.join(', ')
        : typeof value === 'object'
          ? JSON.stringify(value)
          : String(value),
    ]);
  return { src: `${url.replace(/\/+$/, '')}/docent.js`, ...Object.fromEntries(data) };
}
