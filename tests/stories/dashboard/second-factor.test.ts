/** The second factor: set up, needed at sign-in, used once, and required. */
import { TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import { addPerson, cookieOf, password, send, sessionWith } from '../../support/person.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';

const email = 'ada@kestrel.test';
const own = '/v1/people/me/second-factor';
const stepMs = 30_000;

async function setUp(docent: TestDocent): Promise<string> {
  const { token } = await docent.docent.services.people.setupToken();
  return cookieOf(await send(docent, '/v1/setup', { token, email, name: 'Ada', password }));
}

/** Its own clock, so that a code isn't over in the middle of a test. */
async function startAt() {
  let time = Date.parse('2027-01-15T12:30:00Z');
  const docent = await startDocent({ now: () => new Date(time) });
  return { docent, time: () => time, pass: (ms: number) => (time += ms) };
}

async function enroll(docent: TestDocent, cookie: string, timestamp: number) {
  const secret = await send(docent, own, {}, { cookie });
  const made = (await secret.json()) as { secret: string; uri: string };
  const totp = new TOTP({ secret: made.secret });
  const code = totp.generate({ timestamp });
  const confirmed = await send(docent, `${own}/confirm`, { code, password }, { cookie });
  const { recoveryCodes } = (await confirmed.json()) as { recoveryCodes: string[] };
  return { made, totp, code, recoveryCodes, cookie: cookieOf(confirmed) };
}

async function auditTypes(docent: TestDocent, cookie: string) {
  const response = await fetch(`${docent.url}/v1/audit`, { headers: { cookie } });
  const { entries } = (await response.json()) as { entries: { type: string }[] };
  return entries.map(({ type }) => type);
}

test('set up, asked for, and used once', async () => {
  const { docent: started, time, pass } = await startAt();
  await using docent = started;
  const cookie = await setUp(docent);
  const tooEarly = await send(docent, `${own}/confirm`, { code: '000000', password }, { cookie });
  expect(tooEarly.status).toBe(409);
  const factor = await enroll(docent, cookie, time());
  expect(factor.made.uri).toMatch(/^otpauth:\/\/totp\/Docent:ada%40kestrel\.test\?.*secret=/);
  expect(new Set(factor.recoveryCodes).size).toBe(10);
  expect(await sessionWith(docent, cookie)).toMatchObject({ state: 'signed-out' });
  expect(await sessionWith(docent, factor.cookie)).toMatchObject({
    state: 'signed-in',
    person: { hasSecondFactor: true },
  });
  expect((await send(docent, own, {}, { cookie: factor.cookie })).status).toBe(409);

  const signIn = async () => {
    const half = await send(docent, '/v1/session', { email, password });
    expect(await half.json()).toMatchObject({ state: 'second-factor' });
    return cookieOf(half);
  };
  const enter = (cookieOfHalf: string, code: string) =>
    send(docent, '/v1/session/second-factor', { code }, { cookie: cookieOfHalf });
  const half = await signIn();
  // The code of the enrollment was used.
  expect((await enter(half, factor.code)).status).toBe(401);
  pass(stepMs);
  const code = factor.totp.generate({ timestamp: time() });
  const both = await Promise.all([enter(half, code), enter(half, code)]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  const whole = both.find(({ status }) => status === 200);
  expect(whole && cookieOf(whole)).not.toBe(half);
  expect(await sessionWith(docent, half)).toMatchObject({ state: 'signed-out' });

  // One step of the clock off is fine, two aren't.
  const other = await signIn();
  pass(stepMs);
  const early = factor.totp.generate({ timestamp: time() + 2 * stepMs });
  expect((await enter(other, early)).status).toBe(401);
  const next = factor.totp.generate({ timestamp: time() + stepMs });
  expect((await enter(other, next)).status).toBe(200);

  const [recovery = ''] = factor.recoveryCodes;
  const lost = await signIn();
  const uses = await Promise.all([enter(lost, recovery), enter(lost, recovery.toUpperCase())]);
  expect(uses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  expect((await enter(await signIn(), recovery)).status).toBe(401);

  // New recovery codes take the password and a code, and end the old ones.
  const renew = (body: object, cookie = factor.cookie) =>
    send(docent, `${own}/recovery-codes`, body, { cookie });
  pass(10 * stepMs);
  const now = { code: factor.totp.generate({ timestamp: time() }) };
  expect((await renew({ ...now, password: 'wrong' })).status).toBe(403);
  expect((await renew(now)).status).toBe(403);
  expect((await renew({ password, code: '123456' })).status).toBe(403);
  const renewed = await renew({ password, ...now });
  const { recoveryCodes } = (await renewed.json()) as { recoveryCodes: string[] };
  expect(new Set([...recoveryCodes, ...factor.recoveryCodes]).size).toBe(20);
  const old = factor.recoveryCodes[1] ?? '';
  expect((await enter(await signIn(), old)).status).toBe(401);
  expect(await sessionWith(docent, factor.cookie)).toMatchObject({ state: 'signed-out' });
  factor.cookie = cookieOf(renewed);
  expect(await auditTypes(docent, factor.cookie)).toContain('person.recovery_codes_replaced');

  // It goes with the password and a code only.
  const remove = (body: object) => send(docent, own, body, { cookie: factor.cookie }, 'DELETE');
  const [, second = '', third = ''] = recoveryCodes;
  expect((await remove({ password: 'wrong', code: second })).status).toBe(403);
  expect((await remove({ password, code: '123456' })).status).toBe(403);
  expect((await remove({ code: third })).status).toBe(403);
  expect((await remove({ password, code: second })).status).toBe(204);
  const without = await send(docent, '/v1/session', { email, password });
  expect(await without.json()).toMatchObject({ state: 'signed-in' });
  expect((await renew({ password, code: third }, cookieOf(without))).status).toBe(409);
});

test('ten wrong codes end the sign-in, and thirty in an hour are refused, from any network', async () => {
  const { docent: started, time, pass } = await startAt();
  await using docent = started;
  const factor = await enroll(docent, await setUp(docent), time());
  const signIn = async () => cookieOf(await send(docent, '/v1/session', { email, password }));
  const enter = async (cookie: string, code: string) =>
    (await send(docent, '/v1/session/second-factor', { code }, { cookie })).status;
  const guesses = async (count: number) => {
    const cookie = await signIn();
    const wrong = Array.from({ length: count }, () => enter(cookie, '000000'));
    return { cookie, statuses: await Promise.all(wrong) };
  };
  pass(60_000);
  const right = () => factor.totp.generate({ timestamp: time() });

  const ten = await guesses(10);
  expect(ten.statuses).toEqual(Array.from({ length: 10 }, () => 401));
  expect(await sessionWith(docent, ten.cookie)).toMatchObject({ state: 'signed-out' });
  expect(await enter(ten.cookie, right())).toBe(401);

  await guesses(10);
  await guesses(9);
  expect(await enter(await signIn(), '000000')).toBe(401);
  expect(await enter(await signIn(), right())).toBe(429);
  pass(60 * 60_000);
  expect(await enter(await signIn(), right())).toBe(200);
});

test('who sits at an open browser can’t switch it on without the password', async () => {
  const { docent: started, time, pass } = await startAt();
  await using docent = started;
  const cookie = await setUp(docent);
  const { secret } = (await (await send(docent, own, {}, { cookie })).json()) as { secret: string };
  const code = new TOTP({ secret }).generate({ timestamp: time() });
  const confirm = (body: object) => send(docent, `${own}/confirm`, body, { cookie });
  expect((await confirm({ code })).status).toBe(403);
  expect((await confirm({ code, password: 'wrong' })).status).toBe(403);
  expect((await confirm({ code, password })).status).toBe(200);

  // Somebody without a password has signed in lately.
  const person = await addPerson(docent, 'viewer');
  const enrollIn = async () => {
    const made = (await (await send(docent, own, {}, { cookie: person.cookie })).json()) as {
      secret: string;
    };
    const now = new TOTP({ secret: made.secret }).generate({ timestamp: time() });
    return (await send(docent, `${own}/confirm`, { code: now }, { cookie: person.cookie })).status;
  };
  pass(11 * 60_000);
  expect(await enrollIn()).toBe(403);
  pass(-10 * 60_000);
  expect(await enrollIn()).toBe(200);
});

test('where it’s required, nothing else is open before it’s set up', async () => {
  await using docent = await startDocent({ dashboard: { requireSecondFactor: true } });
  const person = await addPerson(docent, 'owner');
  expect(await sessionWith(docent, person.cookie)).toMatchObject({ state: 'enroll-second-factor' });
  const closed: [method: string, path: string][] = [
    ['GET', '/v1/audit'],
    ['GET', '/v1/people/me/sessions'],
    ['POST', '/v1/people/me/password'],
    ['DELETE', own],
  ];
  for (const [method, path] of closed) {
    const body = method === 'GET' ? {} : { body: {} };
    const { status } = await person.fetch(path, { method, ...body });
    expect(`${method} ${path} ${status}`).toBe(`${method} ${path} 403`);
  }
  const { cookie } = await enroll(docent, person.cookie, Date.now());
  expect(await sessionWith(docent, cookie)).toMatchObject({ state: 'signed-in' });
  const audit = await fetch(`${docent.url}/v1/audit`, { headers: { cookie } });
  expect(audit.status).toBe(200);
});
