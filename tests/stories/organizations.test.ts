/**
 * Two organizations on one service: whatever a caller of one asks for, names of the other are in no answer.
 * The list of endpoints comes from the description of the API, so a new one is asked too.
 */
import { roles } from '@docent/shared/people';
import { keyScopes } from '@docent/shared/keys';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { partOf } from '../support/ask.ts';
import { addPerson } from '../support/person.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

/** In every name of the other organization, but for its site. */
const mark = 'quagga';
const names = new RegExp(`${mark}|osprey`, 'i');

let docent: TestDocent;
let paths: string[];
/** Of things of the other organization. */
let ids: string[];

beforeAll(async () => {
  const project = (id: string, organization: string) => ({
    id,
    organization,
    repository: `https://github.com/${id}/docs`,
    model: 'main',
    webhooks: [{ url: `https://hooks.${id}.example/in`, secretEnv: 'HOOK' }],
  });
  docent = await startDocent({
    runJobs: false,
    projects: [project('kestrel', 'kestrel'), project(`${mark}-project`, mark)],
    sites: { 'osprey-docs': { organization: mark, name: `The ${mark} docs` } },
    budgets: {
      organizations: { [mark]: { perDay: { dollars: 1 } }, kestrel: { perDay: { dollars: 2 } } },
      sites: { 'osprey-docs': { perDay: { dollars: 1 } } },
      alerts: { webhook: `https://alerts.${mark}.example/in`, secretEnv: 'HOOK' },
    },
    variables: { HOOK: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
  });
  const { database, jobs, keys, projects, log, audit } = docent.docent.services;
  const theirs = await addPerson(docent, 'owner', mark);
  await database
    .updateTable('people')
    .set({ name: `A ${mark}`, email: `${mark}@elsewhere.test` })
    .where('id', '=', theirs.id)
    .execute();
  const { key } = await keys.create({
    kind: 'assistant',
    organization: mark,
    name: `${mark} key`,
  });
  const owner = projects.byId(`${mark}-project`);
  if (!owner) throw new Error('there is no such project');
  const { job } = await jobs.create({
    project: owner,
    origin: 'api',
    by: { kind: 'person', id: theirs.id },
    instructions: [{ role: 'user', content: `Write about the ${mark}`, command: null }],
    model: 'main',
  } as unknown as Parameters<typeof jobs.create>[0]);
  await audit.record(database, {
    organization: mark,
    actor: { kind: 'system' },
    type: 'person.added',
    data: { person: theirs.id },
  });
  const turn = await docent.ask(`Where is the ${mark}?`, { domain: 'osprey-docs' });
  ids = [theirs.id, key.id, job.id, String(partOf(turn.parts, 'start')?.['messageId'])];
  log.error({ organization: mark }, `the index of ${mark} failed`);
  const asked = await theirs.fetch(`/v1/invitations`, {
    method: 'POST',
    body: { role: 'viewer', email: `new-${mark}@elsewhere.test` },
  });
  expect(asked.status).toBe(201);

  const described = (await (await fetch(`${docent.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  paths = Object.entries(described.paths).flatMap(([path, methods]) =>
    'get' in methods ? [path] : [],
  );
});
afterAll(() => docent[Symbol.asyncDispose]());

/** As a caller of one's own would ask, and with what is theirs. */
const addressesOf = (path: string) => {
  const own = path.replace('{domain}', 'kestrel-docs').replace('{projectId}', 'kestrel');
  const foreign = path.replace('{domain}', 'osprey-docs').replace('{projectId}', `${mark}-project`);
  const all = [...new Set([own, foreign])];
  return all.flatMap((each) =>
    /\{\w+\}/.test(each) ? ids.map((id) => each.replaceAll(/\{\w+\}/g, id)) : [each],
  );
};

async function expectNothing(who: string, get: (path: string) => Promise<Response>) {
  let answered = 0;
  for (const path of paths.flatMap(addressesOf)) {
    const response = await get(path);
    const text = await response.text();
    // What they sent themselves comes back in some errors.
    const all = ['osprey-docs', `${mark}-project`]
      .filter((sent) => path.includes(sent))
      .reduce(
        (left, sent) => left.replaceAll(sent, ''),
        `${JSON.stringify([...response.headers])}${text}`,
      );
    expect([who, path, names.test(all) ? all : 'fine']).toEqual([who, path, 'fine']);
    if (response.status === 200) answered += 1;
  }
  return answered;
}

test.each(roles)('%s', async (role) => {
  const person = await addPerson(docent, role);
  const answered = await expectNothing(role, (path) => person.fetch(path));
  expect(answered).toBeGreaterThan(15);
});

test.each(['assistant', 'admin'] as const)('keys: %s', async (kind) => {
  for (const scopes of [undefined, ...keyScopes[kind].map((scope) => [scope])]) {
    const { token } = await docent.keys.create({
      kind,
      organization: 'kestrel',
      name: 'walk',
      ...(scopes && { scopes }),
    } as Parameters<typeof docent.keys.create>[0]);
    const headers = { authorization: `Bearer ${token}` };
    await expectNothing(`${kind} ${scopes?.join() ?? ''}`, (path) =>
      fetch(docent.url + path, { headers }),
    );
  }
});

test('what a person spends in one organization is not in the usage of the other', async () => {
  const { database, people, spend } = docent.docent.services;
  const person = await addPerson(docent, 'owner');
  await people.join(database, person.id, mark, 'editor');
  const usage = async () => {
    const reply = (await (await person.fetch('/v1/usage?period=7d')).json()) as object;
    return { ...reply, from: '', to: '' };
  };
  const before = await usage();
  const payer = { callerId: person.id, organization: mark, domain: 'osprey-docs', model: 'main' };
  const tokens = { inputTokens: 600, outputTokens: 400 };
  const reservation = await spend.reserve({ ...payer, expected: tokens });
  reservation.add(tokens);
  await spend.settle(reservation);
  expect(await usage()).toEqual(before);
});
