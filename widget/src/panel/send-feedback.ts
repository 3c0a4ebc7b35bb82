/** Sends feedback to the service. */
import { readJson, toName } from '../chat/limits.ts';
import { isRecord, type Feedback } from '../chat/message.ts';
import type { PanelDeps } from './deps.ts';

type Sender = Pick<PanelDeps, 'service' | 'session' | 'settings' | 'fp'>;
type Sent =
  | { kind: 'kept'; body: Record<string, unknown> }
  | { kind: 'later' }
  | { kind: 'refused' };

const endpoint = '/discovery/v1/feedback';

/** The IDs of answers whose feedback is being sent, so that it arrives in order. */
const sending = new Set<string>();

/** Sends what the service doesn't know yet about an answer. Failures are retried later. */
export async function sendFeedback(messageId: string, deps: Sender): Promise<void> {
  const { session } = deps;
  const find = () => session.messages.peek().find(({ id }) => id === messageId)?.feedback;
  const set = (feedback: Feedback | undefined) => session.setFeedback(messageId, feedback);
  if (sending.has(messageId)) return;
  sending.add(messageId);
  try {
    // The reader may change their mind meanwhile.
    for (let said = find(); said?.isWaiting; said = find()) {
      const sent = said.rating
        ? await post({ ...said, rating: said.rating, messageId }, deps)
        : await takeBack(said.id, deps);
      const now = find();
      const isSame = now && opinionOf(now) === opinionOf(said);
      if (sent.kind === 'later') return;
      if (sent.kind === 'refused') {
        if (isSame) set(undefined);
        else if (now) set({ ...now, id: undefined });
      } else if (!said.rating) {
        set(isSame ? undefined : now && { ...now, id: undefined });
      } else if (now) {
        const { id: given, report } = sent.body;
        const id = toName(given);
        const known = id === undefined ? now : { ...now, id };
        set(isSame ? { ...known, isWaiting: false, report: toReport(report) } : known);
      }
    }
  } finally {
    sending.delete(messageId);
  }
}

/** Reports a page, without an answer. */
export async function reportPage(
  report: { path: string; reasons: Feedback['reasons']; note: string },
  deps: Sender,
): Promise<Feedback | 'later' | 'refused'> {
  const sent = await post({ ...report, rating: 'down' }, deps);
  if (sent.kind !== 'kept') return sent.kind;
  const { id, report: state } = sent.body;
  return { rating: 'down', id: toName(id), report: toReport(state) };
}

const opinionOf = ({ rating, reasons, note, path }: Feedback): string =>
  JSON.stringify([rating, reasons, note, path]);

const toReport = (value: unknown): Feedback['report'] =>
  value === 'review' || value === 'started' ? value : undefined;

async function post(
  said: Feedback & { rating: 'up' | 'down'; messageId?: string },
  deps: Sender,
): Promise<Sent> {
  const { rating, reasons, note, path, messageId } = said;
  const { service, settings, fp } = deps;
  const sent = await send(() =>
    service.call(endpoint, {
      // The reader may leave the page at once.
      keepalive: true,
      body: { fp: fp(), messageId, path, rating, reasons, note, filter: settings.value.filter },
    }),
  );
  // The page isn't part of the documentation. Keep the feedback about the answer.
  if (sent.kind === 'refused' && path !== undefined && messageId !== undefined)
    return post({ ...said, path: undefined }, deps);
  return sent;
}

export async function takeBack(id: string | undefined, { service, fp }: Sender): Promise<Sent> {
  // The service never received it.
  if (id === undefined) return { kind: 'kept', body: {} };
  const headers = { 'x-fp': fp() };
  return send(() =>
    service.call(endpoint, { below: [id], method: 'DELETE', keepalive: true, headers }),
  );
}

async function send(call: () => Promise<Response>): Promise<Sent> {
  try {
    const response = await call();
    if (response.status === 429 || response.status >= 500) return { kind: 'later' };
    if (!response.ok) return { kind: 'refused' };
    const body: unknown = response.status === 204 ? {} : await readJson(response);
    return { kind: 'kept', body: isRecord(body) ? body : {} };
  } catch {
    return { kind: 'later' };
  }
}
