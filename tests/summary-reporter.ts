import { mkdirSync, writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** The last lines of a run: what was skipped and why, then the count that programs read. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const of = (state: string) => tests.filter((test) => test.result().state === state);
    const rows = modules.map((module) => ({
      file: module.relativeModuleId,
      project: module.project.name,
      tests: [...module.children.allTests()].length,
      processor: module.meta().processorSeconds ?? 0,
      wall: (module.diagnostic().duration + module.diagnostic().collectDuration) / 1000,
      collect: module.diagnostic().collectDuration / 1000,
    }));
    mkdirSync('.docent', { recursive: true });
    writeFileSync('.docent/test-seconds.json', JSON.stringify(rows, null, 1));
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
