/** The rules for Prometheus: each asks for what the product tells, and fires when it should. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { isInstalled } from '../../support/installed.ts';
import { IS_FULL } from '../../support/test-size.ts';
import { selectorsIn } from './promql.ts';
import { found, type Sample } from './samples.ts';
import { samplesAtStart } from './watched-world.ts';

const FILE = 'deploy/watching/rules.yaml';
const TESTS = 'test/deploy/watching/rules.test.yaml';
const GUIDE = 'docs/operating.md';

/** What Prometheus says of its targets by itself. */
const OF_PROMETHEUS = new Set(['up']);

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const { groups } = parse(readFileSync(FILE, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const recorded = new Set(rules.flatMap(({ record }) => record ?? []));

describe('The rules for Prometheus', () => {
  let samples: readonly Sample[];

  before(async () => {
    samples = await samplesAtStart();
  });

  it('ask for nothing that the product does not tell from its start', () => {
    const missing = rules.flatMap(({ record, alert, expr }) =>
      selectorsIn(expr)
        .filter(({ metric }) => !OF_PROMETHEUS.has(metric) && !recorded.has(metric))
        .filter((selector) => found(selector, samples).length === 0)
        .map(({ metric, matchers }) => `${record ?? alert}: ${metric} ${JSON.stringify(matchers)}`),
    );
    expect(missing).to.deep.equal([]);
  });

  it('record nothing that no alert uses but the rates that people look at', () => {
    const used = new Set(rules.flatMap(({ expr }) => selectorsIn(expr).map(({ metric }) => metric)));
    const unused = [...recorded].filter((name) => !used.has(name));
    expect(unused).to.deep.equal([
      'job:botbell_callbacks:rate5m',
      'job:botbell_deliveries:rate5m',
      'job:botbell_delivery_seconds:p99_10m',
    ]);
  });

  it('say of each alert how bad it is, what it means, and where it says what to do', () => {
    for (const { alert, labels, annotations } of alerts) {
      expect(labels?.['severity'], alert).to.be.oneOf(['critical', 'warning', 'info']);
      expect(annotations, alert).to.have.all.keys('summary', 'description', 'runbook_url');
      expect(annotations?.['runbook_url'], alert).to.equal(`${GUIDE}#${alert?.toLowerCase()}`);
    }
  });

  it('are tried, each alert, in the file of tests', () => {
    const { tests } = parse(readFileSync(TESTS, 'utf8')) as { tests: { name: string }[] };
    const untried = alerts.filter(({ alert }) => !tests.some(({ name }) => name.startsWith(`${alert}`)));
    expect(untried).to.deep.equal([]);
  });

  it('lead to what the operating guide says of each alert', () => {
    const guide = readFileSync(GUIDE, 'utf8');
    const silent = alerts.filter(({ alert }) => !new RegExp(`^#+ ${alert}$`, 'm').test(guide));
    expect(silent.map(({ alert }) => alert)).to.deep.equal([]);
  });

  if (IS_FULL && isInstalled('promtool', 'what Prometheus makes of the rules'))
    it('are taken by Prometheus, and each alert fires when it should and not before (promtool)', () => {
      for (const args of [
        ['check', 'rules', FILE],
        ['test', 'rules', TESTS],
      ]) {
        const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', timeout: 60_000 });
        expect(status, `${stdout}\n${stderr}`).to.equal(0);
      }
    }).timeout(60_000);
});
