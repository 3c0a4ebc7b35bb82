/** Sends a message of the outbox by email, through the owner's mail server. */
import type { Transporter } from 'nodemailer';
import type { EmailConfig } from '../../platform/config/site-config.ts';
import type { Environment } from '../../platform/config/environment.ts';
import { redact } from '../../platform/redaction/redact.ts';
import type { WebhookOutcome } from '../webhooks/send-webhook.ts';

/** The body of a delivery to an email address. */
export interface Email {
  subject: string;
  /** Plain text. */
  text: string;
  html?: string;
  /** A person, where the endpoint has no address of its own. */
  to?: string;
  replyTo?: { name: string; address: string };
}

export type Mailer = ReturnType<typeof createMailer>;

/** Together shorter than the lease of a delivery. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

export function createMailer(config: EmailConfig, environment: Pick<Environment, 'secret'>) {
  let opened: Promise<Transporter> | undefined;

  async function open({ host, port, user, passwordEnv }: NonNullable<EmailConfig>) {
    const { createTransport } = await import('nodemailer');
    const pass = passwordEnv === undefined ? undefined : environment.secret(passwordEnv);
    const isHere = /^(localhost|127\.0\.0\.1|::1)$/.test(host);
    return createTransport({
      host,
      port,
      secure: port === 465,
      requireTLS: pass !== undefined && !isHere,
      ...(pass !== undefined && { auth: { user: user ?? '', pass } }),
      ...timeouts,
      // Nothing of a message is read from this machine or from the web.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  return {
    /** Never rejects. The same ID gives the same `Message-ID`, by which mail systems drop repetitions. */
    async send(
      address: string,
      { id, body }: { id: string; body: string },
    ): Promise<WebhookOutcome> {
      if (!config) return { fault: 'the configuration has no mail server' };
      const {
        subject,
        text,
        html,
        replyTo,
        to = address,
      } = (JSON.parse(body) as { email: Email }).email;
      try {
        const transport = await (opened ??= open(config));
        const domain = config.from.slice(config.from.lastIndexOf('@') + 1);
        const { response } = await transport.sendMail({
          from: { name: 'Docent', address: config.from },
          to: { name: '', address: to },
          ...(replyTo && { replyTo }),
          subject,
          text,
          ...(html !== undefined && { html }),
          messageId: `<${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        return { response: redact(response ?? '').slice(0, 200) };
      } catch (error) {
        const {
          responseCode,
          response = '',
          code,
        } = error as Partial<Record<'response' | 'code', string> & { responseCode: number }>;
        return {
          fault:
            responseCode === undefined
              ? (code ?? 'the mail server failed')
              : `SMTP ${responseCode}`,
          status: responseCode,
          response: redact(response).slice(0, 200) || undefined,
        };
      }
    },
  };
}
