/** A real Prometheus, set up as deploy/watching says, with a running product. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type BridgeWorld, callback, createBridgeWorld } from '../../support/bridge-world.ts';
import { isInstalled } from '../../support/installed.ts';
import { until } from '../../support/proof-wait.ts';
import { asked, readDashboard } from './dashboard.ts';
import { type PrometheusServer, startPrometheus } from './prometheus-server.ts';

const TOKEN = 'a-token-for-scrapers-alone';
const CONFIG = readFileSync('deploy/watching/prometheus.yaml', 'utf8');
const RULES = readFileSync('deploy/watching/rules.yaml', 'utf8');

const GUIDE = readFileSync('deploy/watching/README.md', 'utf8');

/** With the files that it names beside it. */
function expectTaken(config: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-promtool-'));
  try {
    writeFileSync(join(folder, 'prometheus.yml'), config);
    writeFileSync(join(folder, 'rules.yaml'), RULES);
    writeFileSync(join(folder, 'botbell-metrics-token'), TOKEN);
    const args = ['check', 'config', join(folder, 'prometheus.yml')];
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', timeout: 30_000 });
    expect(status, `${config}\n${stdout}\n${stderr}`).to.equal(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Debian's Prometheus is built without Kubernetes: there, what is kept of what it finds is checked alone. */
function asDebianKnows(way: string): string {
  return way.replace(/^kubernetes_sd_configs:\n(?: .*\n)+/, 'dns_sd_configs: [{ names: [botbell] }]\n');
}

describe('The setting-up of Prometheus', () => {
  if (isInstalled('promtool', 'what Prometheus makes of its config')) {
    it('is taken by Prometheus as it stands (promtool)', () => expectTaken(CONFIG));

    it('is taken with each way to find replicas that the guide has (promtool)', () => {
      const ways = [...GUIDE.matchAll(/^```yaml\n(\w+_sd_configs:.*?)^```$/gms)].map(([, way = '']) => way);
      expect(ways).to.have.length(2);
      for (const way of ways.map(asDebianKnows))
        expectTaken(CONFIG.replace(/^ +static_configs:\n.*\n/m, way.replaceAll(/^/gm, '    ')));
    });
  }

  if (isInstalled('prometheus', 'what Prometheus reads of a running product'))
    describe('with a running product', () => {
      let world: BridgeWorld;
      let prometheus: PrometheusServer | undefined;

      beforeEach(async () => {
        world = await createBridgeWorld(
          `receiver: { listen: '127.0.0.1:0' }\ndefault_route: { notify: [{ slack: '#ops' }] }`,
        );
        await world.swap((yaml) =>
          yaml.replace('admin: {', `admin: { password: for-people, metrics_token: ${TOKEN},`),
        );
        const config = CONFIG.replace('127.0.0.1:8081', `127.0.0.1:${world.app.admin?.port}`);
        const often = config.replaceAll('interval: 15s', 'interval: 1s');
        const files = { 'rules.yaml': RULES, 'botbell-metrics-token': TOKEN };
        prometheus = await startPrometheus({ ...files, 'prometheus.yml': often });
      });

      afterEach(async () => {
        await prometheus?.close();
        await world.close();
      });

      it('gives every panel of the dashboard its series, and raises no alert', async () => {
        const { query, get } = prometheus ?? expect.fail('it has not come up');
        expect((await world.post(callback())).status).to.equal(200);
        const scrapes = async () =>
          Number((await query('count_over_time(up{job="botbell"}[1m])'))[0]?.value[1]);
        await until('two scrapes', async () => (await scrapes()) >= 3);
        const empty: string[] = [];
        for (const { title, targets = [] } of readDashboard().panels)
          for (const target of targets)
            if ((await query(asked(target, '10s'))).length === 0) empty.push(`${title}: ${target.expr}`);
        expect(empty).to.deep.equal([]);
        const { groups } = await get<{
          groups: { rules: { name: string; health: string; state?: string }[] }[];
        }>('/api/v1/rules');
        const rules = groups.flatMap((group) => group.rules);
        expect(rules.filter(({ health }) => health === 'err')).to.deep.equal([]);
        expect(rules.filter(({ state }) => state === 'firing')).to.deep.equal([]);
      });
    });
});
