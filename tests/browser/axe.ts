import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules that colours decide: what the others find in light, they find in dark. */
export const rulesOfColors = ['color-contrast', 'link-in-text-block'];

/** The accessibility faults of a page as it stands, shadow roots included: rule and place. */
export async function findAxeViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Reading it takes as long as running it.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly: rules });
  const violations = (await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )) as AxeResults['violations'];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${JSON.stringify(node.target)}`),
  );
}

/** Those in dark, and those in light, in which it leaves the page. */
export async function findInBothSchemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await findAxeViolations(page, rulesOfColors);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...dark.map((each) => `in dark, ${each}`), ...(await findAxeViolations(page))];
}
