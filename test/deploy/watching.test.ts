import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { createBridgeWorld } from '../support/bridge-world.ts';
import { isInstalled } from '../support/installed.ts';
import { IS_FULL } from '../support/test-size.ts';

const FILE = 'deploy/prometheus-rules.yaml';
const TESTS = 'test/deploy/rules.test.yaml';
const ROUTES = `receiver: { listen: '127.0.0.1:0' }\ndefault_route: { notify: [{ slack: '#ops' }, { email: ops@example.com }] }`;

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const { groups } = parse(readFileSync(FILE, 'utf8')) as { groups: { rules: Alert[] }[] };
const alerts = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(readFileSync('deploy/dashboard.json', 'utf8')) as {
  panels: { title: string; targets: { expr: string }[] }[];
};

/** A metric, and what its labels are asked for, but for `job`, which Prometheus gives. */
function selectorsIn(expression: string): { metric: string; labels: RegExp[] }[] {
  const selectors = expression.matchAll(/\b((?:botbell|process)_\w+)(?:\{([^}]*)\})?/g);
  return [...selectors].map(([, metric = '', matchers = '']) => ({
    metric,
    labels: [...matchers.matchAll(/(?!job\b)\b(\w+)=~?"([^"]*)"/g)].map(
      ([, label, value]) => new RegExp(`[{,]${label}="(?:${value})"`),
    ),
  }));
}

describe('What watches Botbell', () => {
  let lines: readonly string[];

  before(async () => {
    const world = await createBridgeWorld(ROUTES);
    lines = (await world.metrics()).split('\n');
    await world.close();
  });

  const asked = [
    ...alerts.map(({ alert, expr }) => [alert, expr] as const),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ];
  for (const [name, expression] of asked)
    it(`asks only for series that there are from the start: ${name}`, () => {
      for (const { metric, labels } of selectorsIn(expression)) {
        const own = lines.filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `));
        expect(
          own.filter((line) => labels.every((label) => label.test(line))),
          metric,
        ).not.to.deep.equal([]);
      }
    });

  it('leads from each alert to what its page says to do', () => {
    for (const { alert, annotations } of alerts)
      expect(annotations['runbook_url']).to.equal(`docs/alerts.md#${alert.toLowerCase()}`);
  });

  if (IS_FULL && isInstalled('promtool', 'what Prometheus makes of the rules'))
    it('fires each alert when it should, and not before (promtool)', () => {
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', TESTS], {
        encoding: 'utf8',
      });
      expect(status, `${stdout}\n${stderr}`).to.equal(0);
    });
});
