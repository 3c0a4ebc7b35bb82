/** Reads a Content Security Policy: whether it lets a page load the widget and ask. */

export interface PolicyQuestion {
  /** The address of the page. */
  page: string;
  /** The address of `docent.js`. */
  script: string;
  /** The tag has a nonce. */
  hasNonce: boolean;
}

/** The directives that block the widget, in all policies of a page. */
export function blockingDirectives(
  policies: readonly string[],
  question: PolicyQuestion,
): string[] {
  return policies
    .flatMap((header) => header.split(','))
    .flatMap((policy) => {
      const directives = new Map(
        policy
          .split(';')
          .map((each) => each.trim().split(/\s+/))
          .map(([name = '', ...values]) => [name.toLowerCase(), values] as const),
      );
      const first = (...names: string[]) => names.find((name) => directives.has(name));
      const scripts = first('script-src-elem', 'script-src', 'default-src');
      const connections = first('connect-src', 'default-src');
      const allows = (name: string | undefined, isScript: boolean) =>
        name === undefined ||
        (directives.get(name) ?? []).some((value) => allowsAddress(value, question, isScript));
      return [
        ...(allows(scripts, true) ? [] : [scripts ?? '']),
        ...(allows(connections, false) ? [] : [connections ?? '']),
      ];
    });
}

function allowsAddress(
  value: string,
  { page, script, hasNonce }: PolicyQuestion,
  isScript: boolean,
) {
  const { origin, protocol, host } = new URL(script);
  if (value === "'self'") return origin === new URL(page).origin;
  if (value.startsWith("'nonce-")) return isScript && hasNonce;
  if (value.startsWith("'")) return false;
  if (value === '*' || value === protocol) return true;
  const [, scheme, rest = ''] = /^(?:([a-z][a-z\d+.-]*:)\/\/)?([^/]*)/i.exec(value) ?? [];
  const isHost = rest.startsWith('*.') ? host.endsWith(rest.slice(1)) : rest === host;
  return isHost && (scheme === undefined || scheme === protocol);
}
