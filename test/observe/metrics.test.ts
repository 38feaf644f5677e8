/** Every metric that dashboards were promised, with its labels. */
import { expect } from 'chai';
import { createMetrics, type Metrics } from '../../src/observe/metrics.ts';

describe('the metrics', () => {
  let metrics: Metrics;
  let bytes: number | undefined;
  let open: { pending: number; dead: number; held: number } | undefined;

  const textOf = () => metrics.text(() => Promise.resolve({ open, storeBytes: bytes, paused: 2 }));
  const sample = async (name: string) => {
    const text = await textOf();
    const line = text.split('\n').find((each) => each.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length + 1));
  };

  beforeEach(() => {
    open = { pending: 3, dead: 1, held: 2 };
    bytes = 4096;
    metrics = createMetrics('1.2.3');
  });

  it('count what was answered before they were asked for, though its answer went first', async () => {
    setImmediate(() =>
      metrics.answered({ status: 'error', result: 'delivered', httpStatus: 200, seconds: 1 }),
    );
    const name = 'botbell_callbacks_total{status="error",result="delivered"}';
    expect(await sample(name)).to.equal(1);
  });

  it('say how many destinations are left alone', async () => {
    expect(await sample('botbell_destinations_paused')).to.equal(2);
  });

  it('say what the store takes, unless it cannot tell', async () => {
    expect(await sample('botbell_store_bytes')).to.equal(4096);
    bytes = undefined;
    expect(await sample('botbell_store_bytes')).to.be.NaN;
  });

  it('are all there from the start, each with a help text', async () => {
    const text = await textOf();
    for (const name of [
      'callbacks_total',
      'deliveries_total',
      'delivery_seconds',
      'answer_seconds',
      'bot_seconds_total',
      'template_errors_total',
      'deliveries_pending',
      'deliveries_dead',
      'destinations_paused',
      'deliveries_held',
      'store_bytes',
      'store_max_bytes',
      'config_info',
      'config_reload_ok',
      'build_info',
    ]) {
      expect(text).to.match(new RegExp(`^# HELP botbell_${name} .+`, 'm'));
    }
    expect(text).to.contain('botbell_build_info{version="1.2.3"} 1');
    expect(await sample('botbell_config_reload_ok')).to.equal(1);
    expect(await sample('botbell_bot_seconds_total{cause="retry"}')).to.equal(0);
  });

  it('count callbacks by status and result, and how long their answer took', async () => {
    metrics.answered({ status: 'error', result: 'delivered', httpStatus: 200, seconds: 0.2 });
    metrics.answered({ status: 'none', result: 'refused', httpStatus: 422, seconds: 0.001 });
    expect(await sample('botbell_callbacks_total{status="error",result="delivered"}')).to.equal(1);
    expect(await sample('botbell_callbacks_total{status="none",result="refused"}')).to.equal(1);
    expect(await sample('botbell_answer_seconds_count')).to.equal(2);
    expect(await sample('botbell_answer_seconds_bucket{le="0.25"}')).to.equal(2);
    expect(await sample('botbell_answer_seconds_bucket{le="0.1"}')).to.equal(1);
  });

  it('count what callbacks cost the BOTs: our answer, and half a minute for each that is not 2xx', async () => {
    metrics.answered({ status: 'error', result: 'delivered', httpStatus: 200, seconds: 2 });
    metrics.answered({ status: 'error', result: 'failed', httpStatus: 502, seconds: 3 });
    expect(await sample('botbell_bot_seconds_total{cause="answer"}')).to.equal(5);
    expect(await sample('botbell_bot_seconds_total{cause="retry"}')).to.equal(30);
  });

  it('tell what is open, asked for at each scrape, and NaN while the store cannot tell', async () => {
    expect(await sample('botbell_deliveries_pending')).to.equal(3);
    open = { pending: 0, dead: 2, held: 0 };
    expect(await sample('botbell_deliveries_pending')).to.equal(0);
    expect(await sample('botbell_deliveries_dead')).to.equal(2);
    open = undefined;
    expect(await sample('botbell_deliveries_pending')).to.deep.equal(Number.NaN);
  });
});
