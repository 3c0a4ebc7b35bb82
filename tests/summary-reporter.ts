import { mkdirSync, writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** The last lines of a run: the dearest files, what was skipped and why, then the count that programs read. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    reportSeconds(modules);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const of = (state: string) => tests.filter((test) => test.result().state === state);
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const skipped = of('skipped');
    if (skipped.length > 0) {
      console.log(`\nSkipped:`);
      for (const [why, count] of tally(skipped)) console.log(`  ${count} × ${why}`);
    }
    console.log(
      `\n${of('passed').length} passed, ${of('failed').length + broken} failed, ${skipped.length} skipped`,
    );
  }
}

/** Keeps the processor seconds of every file, and prints those of the projects and of the dearest files. */
function reportSeconds(modules: readonly TestModule[]): void {
  const files = modules
    .map((module) => ({
      file: module.relativeModuleId,
      project: module.project.name,
      tests: [...module.children.allTests()].length,
      seconds: Math.round((module.meta().processorSeconds ?? 0) * 100) / 100,
    }))
    .toSorted((a, b) => b.seconds - a.seconds);
  mkdirSync('.docent', { recursive: true });
  writeFileSync('.docent/test-seconds.json', `${JSON.stringify(files, undefined, 1)}\n`);
  if (files.length < 20) return;
  console.log('\nProcessor seconds, of each file in .docent/test-seconds.json:');
  for (const [project, ours] of Map.groupBy(files, (each) => each.project)) {
    const sum = ours.reduce((total, { seconds }) => total + seconds, 0);
    console.log(`  ${sum.toFixed(0).padStart(4)}  ${project}, ${ours.length} files`);
  }
  for (const { file, seconds } of files.slice(0, 10))
    console.log(`  ${seconds.toFixed(0).padStart(4)}  ${file}`);
}

function tally(skipped: TestCase[]): Map<string, number> {
  const reasons = new Map<string, number>();
  for (const test of skipped) {
    const result = test.result();
    const note =
      'note' in result && result.note ? result.note : `no reason given: ${test.fullName}`;
    reasons.set(note, (reasons.get(note) ?? 0) + 1);
  }
  return reasons;
}
