import { expect } from 'chai';
import { createMetrics, type Figures, type Metrics } from '../../src/observe/metrics.ts';

describe('the metrics', () => {
  let metrics: Metrics;
  let figures: Figures;

  const textOf = () => metrics.text(() => Promise.resolve(figures));
  const sample = async (name: string) => {
    const line = (await textOf()).split('\n').find((each) => each.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length + 1));
  };

  beforeEach(() => {
    const incidents = { bot: 5, destination: 0, botbell: 0 };
    figures = { pending: 3, dead: 1, held: 2, incidents, storeBytes: 4096, paused: 2, down: 5 };
    metrics = createMetrics('1.2.3');
  });

  it('count what was answered before they were asked for, though its answer went first', async () => {
    setImmediate(() =>
      metrics.answered({ status: 'error', result: 'delivered', httpStatus: 200, seconds: 1 }),
    );
    expect(await sample('botbell_callbacks_total{status="error",result="delivered"}')).to.equal(1);
  });

  it('are there from the start, with those of the process', async () => {
    const text = await textOf();
    for (const name of [
      'process_resident_memory_bytes',
      'process_start_time_seconds',
      'nodejs_heap_size_used_bytes',
    ])
      expect(text, name).to.match(new RegExp(`^# HELP ${name} .+`, 'm'));
    expect(text).to.contain('botbell_build_info{version="1.2.3"} 1');
    expect(await sample('botbell_config_reload_ok')).to.equal(1);
    expect(await sample('botbell_bot_seconds_total{cause="retry"}')).to.equal(0);
  });

  it('count callbacks by status and result, how long their answer took, and what they cost the BOTs', async () => {
    metrics.answered({ status: 'error', result: 'delivered', httpStatus: 200, seconds: 0.2 });
    metrics.answered({ status: 'error', result: 'failed', httpStatus: 502, seconds: 3 });
    for (const [name, value] of [
      ['callbacks_total{status="error",result="delivered"}', 1],
      ['callbacks_total{status="error",result="failed"}', 1],
      ['answer_seconds_count', 2],
      ['answer_seconds_bucket{le="0.25"}', 1],
      ['answer_seconds_bucket{le="0.1"}', 0],
      ['bot_seconds_total{cause="answer"}', 3.2],
      // For each that is not 2xx.
      ['bot_seconds_total{cause="retry"}', 30],
    ] as const)
      expect(await sample(`botbell_${name}`), name).to.equal(value);
  });

  it('show the config in force, and no other', async () => {
    for (const hash of ['ab', 'cd']) metrics.configInForce(hash);
    const shown = (await textOf()).match(/^botbell_config_info.*/gm);
    expect(shown).to.deep.equal(['botbell_config_info{hash="cd"} 1']);
  });

  it('tell what is open, paused and stored, asked for at each scrape, and NaN while the store cannot tell', async () => {
    const names = [
      'deliveries_pending',
      'deliveries_dead',
      'deliveries_held',
      'destinations_paused',
      'store_bytes',
      ...['bot', 'destination', 'botbell'].map((kind) => `incidents_open{kind="${kind}"}`),
      'destinations_down',
    ];
    const told = () => Promise.all(names.map((name) => sample(`botbell_${name}`)));
    expect(await told()).to.deep.equal([3, 1, 2, 2, 4096, 5, 0, 0, 5]);
    figures = { down: 0 };
    expect(await told()).to.deep.equal([...Array<number>(8).fill(Number.NaN), 0]);
  });
});
