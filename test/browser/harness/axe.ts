/** What axe finds wrong with a page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Of the page and its frames, by all rules of WCAG 2.2 AA and axe's own best practices. @returns a line for each place */
export async function violationsOf(page: Page): Promise<string[]> {
  // As a script in the page it would be against the page's policy.
  await page.evaluate(SOURCE);
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, { iframes: false, resultTypes: ['violations'] })`,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} (${help}): ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}
