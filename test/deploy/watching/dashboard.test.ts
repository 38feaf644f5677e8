/** The dashboard for Grafana: no panel stays empty, none hides another, and it works with any data source. */
import { expect } from 'chai';
import { asked, readDashboard } from './dashboard.ts';
import { selectorsIn } from './promql.ts';
import { found, type Sample } from './samples.ts';
import { samplesAtStart } from './watched-world.ts';

const COLUMNS = 24;

const { panels, templating, uid, title } = readDashboard();
const queries = panels.flatMap(({ title: panel, targets = [] }) =>
  targets.map((target) => ({ panel, target })),
);
const variables = templating.list.map(({ name }) => name);

describe('The dashboard for Grafana', () => {
  let samples: readonly Sample[];

  before(async () => {
    samples = await samplesAtStart();
  });

  it('has no query without a series, from the start of the product on', () => {
    const empty = queries.flatMap(({ panel, target }) =>
      selectorsIn(asked(target))
        .filter((selector) => found(selector, samples).length === 0)
        .map(({ metric }) => `${panel}: ${metric}`),
    );
    expect(empty).to.deep.equal([]);
    expect(queries.length).to.be.greaterThan(30);
  });

  it('shows each metric of the product', () => {
    const shown = new Set(
      queries.flatMap(({ target }) => selectorsIn(asked(target)).map(({ metric }) => metric)),
    );
    const own = new Set(samples.map(({ metric }) => metric).filter((name) => name.startsWith('botbell_')));
    // A histogram is shown by its buckets.
    const missing = [...own].filter((name) => !shown.has(name) && !/_seconds_(?:sum|count)$/.test(name));
    expect(missing).to.deep.equal([]);
  });

  it('names in each legend only labels that the series have', () => {
    const wrong = queries.flatMap(({ panel, target }) => {
      const labels = [...(target.legendFormat ?? '').matchAll(/\{\{(\w+)\}\}/g)].map(
        ([, label = '']) => label,
      );
      const [selector] = selectorsIn(asked(target));
      const grouped = selector?.groupedBy ?? [];
      const isThere = (label: string) =>
        grouped.includes(label) || (grouped.length === 0 && label === 'instance');
      return labels.filter((label) => !isThere(label)).map((label) => `${panel}: ${label}`);
    });
    expect(wrong).to.deep.equal([]);
  });

  it('asks for one Botbell and the chosen replicas, of the chosen data source', () => {
    expect(variables).to.deep.equal(['datasource', 'job', 'instance']);
    for (const { panel, target } of queries) {
      expect(target.datasource, panel).to.deep.equal({ type: 'prometheus', uid: '${datasource}' });
      for (const { matchers } of selectorsIn(target.expr.replaceAll('$__rate_interval', '5m'))) {
        const chosen = matchers.filter(({ label }) => label === 'job' || label === 'instance');
        expect(
          chosen.map(({ value }) => value),
          panel,
        ).to.deep.equal(['$job', '$instance']);
      }
    }
    const json = JSON.stringify({ panels, templating });
    const used = [...json.matchAll(/\$\{?(\w+)/g)].map(([, name = '']) => name);
    expect(used.filter((name) => !name.startsWith('__') && !variables.includes(name))).to.deep.equal([]);
  });

  it('gives each panel an id, a title, a sentence, a unit and a place of its own', () => {
    expect([uid, title]).to.deep.equal(['botbell', 'Botbell']);
    expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length);
    const taken = new Set<string>();
    for (const { type, title: panel, description, gridPos, targets = [], fieldConfig } of panels) {
      expect(panel).not.to.equal('');
      const { x, y, w, h } = gridPos;
      expect(x + w, panel).to.be.at.most(COLUMNS);
      for (let column = x; column < x + w; column += 1)
        for (let line = y; line < y + h; line += 1) {
          expect(taken.has(`${column},${line}`), `${panel} lies over another`).to.equal(false);
          taken.add(`${column},${line}`);
        }
      if (type === 'row') continue;
      expect(type).to.be.oneOf(['stat', 'timeseries']);
      expect(description, panel).to.match(/\.$/);
      expect(fieldConfig?.defaults.unit, panel).to.be.a('string');
      expect(new Set(targets.map(({ refId }) => refId)).size, panel).to.equal(targets.length);
    }
  });
});
