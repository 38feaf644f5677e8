/** Every metric that dashboards were promised, with its labels. */
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
    figures = { open: { pending: 3, dead: 1, held: 2 }, storeBytes: 4096, paused: 2 };
    metrics = createMetrics('1.2.3');
  });

  it('count what was answered before they were asked for, though its answer went first', async () => {
    setImmediate(() =>
      metrics.answered({ status: 'error', result: 'delivered', httpStatus: 200, seconds: 1 }),
    );
    const name = 'botbell_callbacks_total{status="error",result="delivered"}';
    expect(await sample(name)).to.equal(1);
  });

  it('are all there from the start, with those of the process', async () => {
    const text = await textOf();
    for (const name of [
      'botbell_callbacks_total',
      'botbell_deliveries_total',
      'botbell_delivery_seconds',
      'botbell_answer_seconds',
      'botbell_bot_seconds_total',
      'botbell_template_errors_total',
      'botbell_deliveries_pending',
      'botbell_deliveries_dead',
      'botbell_destinations_paused',
      'botbell_deliveries_held',
      'botbell_store_bytes',
      'botbell_store_max_bytes',
      'botbell_config_info',
      'botbell_config_reload_ok',
      'botbell_build_info',
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
      'process_start_time_seconds',
      'nodejs_heap_size_used_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      expect(text, name).to.match(new RegExp(`^# HELP ${name} .+`, 'm'));
    expect(text).to.contain('botbell_build_info{version="1.2.3"} 1');
    expect(await sample('botbell_config_reload_ok')).to.equal(1);
    expect(await sample('botbell_bot_seconds_total{cause="retry"}')).to.equal(0);
  });

  it('count callbacks by status and result, how long their answer took, and what they cost the BOTs', async () => {
    metrics.answered({ status: 'error', result: 'delivered', httpStatus: 200, seconds: 0.2 });
    metrics.answered({ status: 'error', result: 'failed', httpStatus: 502, seconds: 3 });
    expect(await sample('botbell_callbacks_total{status="error",result="delivered"}')).to.equal(1);
    expect(await sample('botbell_callbacks_total{status="error",result="failed"}')).to.equal(1);
    expect(await sample('botbell_answer_seconds_count')).to.equal(2);
    expect(await sample('botbell_answer_seconds_bucket{le="0.25"}')).to.equal(1);
    expect(await sample('botbell_answer_seconds_bucket{le="0.1"}')).to.equal(0);
    expect(await sample('botbell_bot_seconds_total{cause="answer"}')).to.equal(3.2);
    expect(await sample('botbell_bot_seconds_total{cause="retry"}'), 'each that is not 2xx').to.equal(30);
  });

  it('tell what is open, paused and stored, asked for at each scrape, and NaN while the store cannot tell', async () => {
    const names = [
      'deliveries_pending',
      'deliveries_dead',
      'deliveries_held',
      'destinations_paused',
      'store_bytes',
    ];
    const told = () => Promise.all(names.map((name) => sample(`botbell_${name}`)));
    expect(await told()).to.deep.equal([3, 1, 2, 2, 4096]);
    figures = { open: undefined, storeBytes: undefined, paused: 0 };
    expect(await told()).to.deep.equal([Number.NaN, Number.NaN, Number.NaN, 0, Number.NaN]);
  });
});
