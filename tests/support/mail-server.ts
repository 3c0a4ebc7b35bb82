import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

interface Mail {
  from: string;
  to: string[];
  /** The message with its headers. */
  raw: string;
}

/** A part of a message as its reader sees it. */
export function partOf(raw: string, type: 'text/plain' | 'text/html'): string {
  const [, boundary = '\0'] = /boundary="([^"]+)"/.exec(raw) ?? [];
  const part =
    raw.split(`--${boundary}`).find((one) => one.includes(`Content-Type: ${type}`)) ?? '';
  const [head = '', ...body] = part.split('\r\n\r\n');
  const text = body.join('\n\n').replaceAll('\r\n', '\n');
  if (/base64/i.test(head)) return Buffer.from(text, 'base64').toString('utf8');
  if (!/quoted-printable/i.test(head)) return text;
  const bytes = text
    .replaceAll('=\n', '')
    .replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** A real mail server of the owner's, which wants a password. */
export async function startMailServer(password = 'geheim') {
  const mails: Mail[] = [];
  /** Refuses so many messages first. */
  let refuses = 0;
  let attempts = 0;
  const server = new SMTPServer({
    // Its certificate is nobody's, so it offers no encryption.
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password: given }, _session, done) =>
      given === password && username === 'docent'
        ? done(null, { user: username })
        : done(new Error('Invalid username or password')),
    onData(stream, { envelope }, done) {
      let raw = '';
      stream.setEncoding?.('utf8');
      stream.on('data', (piece: string) => (raw += piece));
      stream.on('end', () => {
        attempts += 1;
        if (refuses > 0) {
          refuses -= 1;
          return done(Object.assign(new Error('Try again later'), { responseCode: 451 }));
        }
        const { mailFrom, rcptTo } = envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw,
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    /** What the owner's configuration says of it. The password is in `MAIL_PASSWORD`. */
    email: {
      host: '127.0.0.1',
      port,
      user: 'docent',
      passwordEnv: 'MAIL_PASSWORD',
      from: 'docs@kestrel.example',
    },
    port,
    mails,
    attempts: () => attempts,
    refuse: (count: number) => void (refuses = count),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
