/** Where the CPU time of a process went, from the profile that `node --cpu-prof` wrote. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Profile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string };
    children?: number[];
  }[];
  samples: number[];
  timeDeltas: number[];
}

/** The first that matches the file nearest to what ran counts. */
const stages: [string, RegExp][] = [
  ['search', /\/src\/(retrieval|reader\/search)\/|reader\/ask\/search-query/],
  ['prompt and sources', /reader\/ask\/(prompt|sources|suggest)|models\/escape-for-prompt/],
  ['output filter', /reader\/output-filter\//],
  ['storage', /platform\/(store|redaction|budgets|limits|auth)\/|reader\/conversations\//],
  ['model stream', /platform\/(models|network)\//],
  ['writing', /reader\/stream\//],
  ['request', /reader\/ask\/|platform\/|src\/app|express|body-parser|cors/],
];

/** Seconds per stage, the largest first, without the time in which nothing ran. */
export async function readStages(folder: string): Promise<Map<string, number>> {
  const file = (await readdir(folder)).find((name) => name.endsWith('.cpuprofile')) ?? '';
  const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as Profile;
  const parents = new Map<number, number>();
  const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  for (const { id, children = [] } of profile.nodes) {
    for (const child of children) parents.set(child, id);
  }
  const known = new Map<number, string>();
  const stageOf = (id: number): string => {
    const before = known.get(id);
    if (before) return before;
    const { url = '', functionName = '' } = frames.get(id) ?? {};
    const parent = parents.get(id);
    let stage = stages.find(([, pattern]) => pattern.test(url))?.[0];
    if (functionName === '(idle)') stage = 'idle';
    if (functionName === '(garbage collector)') stage = 'garbage collector';
    stage ??= parent === undefined ? 'Node itself' : stageOf(parent);
    known.set(id, stage);
    return stage;
  };
  const sums = new Map<string, number>();
  for (const [index, id] of profile.samples.entries()) {
    const stage = stageOf(id);
    if (stage === 'idle') continue;
    sums.set(stage, (sums.get(stage) ?? 0) + (profile.timeDeltas[index] ?? 0) / 1e6);
  }
  return new Map([...sums].toSorted(([, a], [, b]) => b - a));
}
