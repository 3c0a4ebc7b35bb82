/**
 * Addresses in running text. GitHub's Markdown turns them into links. An address that must not become a
 * link is written as code: no parser looks for links there, and the reader still sees the address.
 */
import { trimEndOf } from '../../platform/text.ts';
import { trimEnd } from './link-policy.ts';
import { type Outcome, put, rest, type Scan, write, writeCode } from './scan.ts';

const maxLength = 2_000;
/** Ends where Markdown could parse differently. What follows has no scheme any more. */
const run = /^[^\s<>`|"'\\\ue001]*/;

/** `https://…`, `ftp://…`, `www.…` */
export function readAddress(scan: Scan): Outcome {
  return readFrom(scan, '');
}

/** `://` or `www` whose start is already written: what follows becomes code, which breaks the address. */
export function readAddressEnd(scan: Scan): Outcome {
  return readFrom(scan, /(?:(?:https?|ftp):?\/?|www)$/i.exec(scan.tail)?.[0] ?? '');
}

function readFrom(scan: Scan, begun: string): Outcome {
  const text = rest(scan, maxLength);
  const whole = run.exec(text)?.[0] ?? '';
  if (whole.length === text.length && !scan.isFinal && text.length < maxLength) return 'wait';
  const trimmed = trimEnd(whole);
  const address = begun + trimmed;
  const isAddress = /^(?:(?:https?|ftp):\/\/|www\.)[^/]/i.test(address);
  const end = whole.slice(trimmed.length);
  if (isAddress) {
    scan.at += trimmed.length;
    const live = scan.rules.links.link(/^www/i.test(address) ? `http://${address}` : address);
    if (live !== undefined && isAlone(scan, address, end, text[whole.length])) write(scan, trimmed);
    else if (live === undefined || begun !== '' || scan.isInLink || scan.tail.endsWith('\\')) {
      breakUp(scan, trimmed);
    } else write(scan, `<${live}>`);
    return 'done';
  }
  // Two slashes after something that isn't a scheme, or a scheme alone.
  if (begun === '' && text.startsWith('://')) return put(scan, '://', 3);
  scan.at += whole.length;
  breakUp(scan, whole);
  return 'done';
}

/** Writes it as code. A colon whose scheme is already written stays outside. */
function breakUp(scan: Scan, text: string): void {
  const sign = text.startsWith(':') ? ':' : '';
  write(scan, sign);
  writeCode(scan, text.slice(sign.length) || ' ');
}

/** Whether every parser agrees where this address ends. */
function isAlone(scan: Scan, address: string, end: string, next: string | undefined): boolean {
  const isEnd = next === undefined ? scan.isFinal && !scan.isInline : /\s/.test(next);
  return (
    isEnd &&
    /^[.,;:!?)*_~]*$/.test(end) &&
    /^(?:https?:\/\/|www\.)[\w.-]+(?::\d+)?(?:\/[\w./?#=&%+,:;~@-]*)?$/i.test(address) &&
    /[\w/]$/.test(address)
  );
}

/** `@` after the name of a mailbox. */
export function readMail(scan: Scan): Outcome {
  const name = scan.tail.slice(trimEndOf(scan.tail, /[\w.%+-]/).length) || undefined;
  const text = rest(scan, 300);
  const host = /^@((?:\\?[\w.-])*)/.exec(text)?.[1] ?? '';
  if (name === undefined || host === '') {
    if (name !== undefined && text.length === 1 && !scan.isFinal) return 'wait';
    return put(scan, '@', 1);
  }
  if (host.length + 1 >= text.length - 1 && !scan.isFinal && text.length < 300) return 'wait';
  const plain = host.replaceAll('\\', '');
  const domain = trimEndOf(trimEnd(plain), '-_');
  const next = text[host.length + 1];
  scan.at += 1 + host.length;
  // Only a parser takes `react@18.2.0` for a mailbox.
  const isMailbox =
    /www(?:\.|$)/i.test(plain) || (domain.includes('.') && !/^v?\d+(?:\.\d+)+$/.test(domain));
  const isEnd = next === undefined ? scan.isFinal && !scan.isInline : /[\s,;:?)"'>*]/.test(next);
  if (!isMailbox || (isEnd && scan.rules.links.isMail(`${name}@${domain}`))) {
    write(scan, `@${plain}`);
    return 'done';
  }
  write(scan, '@');
  writeCode(scan, plain);
  return 'done';
}

/** How many characters at the end of the text may start an address. They wait until the rest arrives. */
export function begunAddress(text: string): number {
  return (
    /(?:https?|ftp):?\/?$|(?<![A-Za-z0-9])(?:ht{0,2}|ft?|w{1,3})$/i.exec(text)?.[0].length ?? 0
  );
}
