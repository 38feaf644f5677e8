import { expect } from 'chai';
import { type Callback, identityOf, InvalidCallback, UnreadCallback } from '../../src/callback/callback.ts';
import { UndecodableBody } from '../../src/callback/decode.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { formatsOf } from '../../src/config/config.ts';
import { LargeCallbacks } from '../../src/offload/large-callbacks.ts';
import { BUILT_IN_TEMPLATES } from '../../src/package-files.ts';
import { createRenderer } from '../../src/render/renderer.ts';
import { systemClock } from '../../src/time/clock.ts';
import { HEAVY_SHAPES } from '../hostile/heavy-shapes.ts';
import { callback } from '../support/bridge-world.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { noticeAbout } from '../support/callbacks.ts';

const SIZE = 100_000;
const LONG_MS = 60_000;

const channels = new Map(
  (['slack', 'email'] as const).map((as) => [as, { name: as, type: 'outbox', settings: { as } }]),
);
const renderer = createRenderer({
  display: { timezone: 'Asia/Tokyo', language: 'ja', links: { file: 'https://example.com/{{ ref }}' } },
  builtInTemplates: BUILT_IN_TEMPLATES,
  formats: [...formatsOf({ channels }, channelTypes).values()],
});

function heavy(shape: string): Buffer {
  return Buffer.from(HEAVY_SHAPES[shape]?.(SIZE, callback()) ?? '');
}

describe('large callbacks', () => {
  let large: LargeCallbacks;
  const ended: unknown[] = [];

  before(() => {
    const setting = { templates: renderer.sources, channels };
    large = new LargeCallbacks(setting, systemClock, (error) => ended.push(error));
  });
  after(async () => {
    await large.close();
    expect(ended).to.deep.equal([]);
  });

  for (const shape of ['output keys', 'files in one output', 'a table of 8 columns', 'one long message']) {
    it(`read and render elsewhere as they would here: ${shape}`, async () => {
      const bytes = heavy(shape);
      const whole = JSON.parse(bytes.toString()) as Callback;
      const read = await large.read(bytes, LONG_MS);
      const { output: _, message: __, ...fields } = whole;
      expect(read.callback).to.deep.equal(fields);
      expect(identityOf(read.callback)).to.equal(identityOf(whole));
      for (const format of ['slack', 'email']) {
        const target = { format, templateSet: undefined, options: {} };
        const { body: json, startedAt } = read;
        const delayedMs = 2 * 86_400_000;
        const order = { json, startedAt, timesReceived: 2, delayedMs, target, withinMs: LONG_MS };
        const here = renderer.render({ ...noticeAbout(whole, 2), delayedMs }, target, () => undefined);
        expect(await large.render(order, () => undefined)).to.deep.equal(here);
      }
    });
  }

  it('lose their byte order mark', async () => {
    const json = heavy('one long message');
    const { body } = await large.read(Buffer.concat([Buffer.from('\ufeff'), json]), LONG_MS);
    expect(Buffer.from(body).equals(json)).to.equal(true);
  });

  it('are refused in the same words', async () => {
    const invalid = await rejectionOf(large.read(heavy('refused: too deep at the end'), LONG_MS));
    expect(invalid).to.be.instanceOf(InvalidCallback);
    expect((invalid as InvalidCallback).errors).to.deep.equal([
      { pointer: '/deep', detail: 'is nested deeper than 64 levels' },
    ]);
    const undecodable = await rejectionOf(large.read(heavy('refused: not JSON at the end'), LONG_MS));
    expect(undecodable).to.be.instanceOf(UndecodableBody);
    expect(undecodable.message).to.match(/^The body is not JSON: .* at position \d+\.$/);
  });

  it('say so where there was no time to read or to render them', async () => {
    const json = heavy('one long message');
    expect(await rejectionOf(large.read(json, 0))).to.be.instanceOf(UnreadCallback);
    expect(await rejectionOf(large.readAgain(json, 0))).to.be.instanceOf(UnreadCallback);
    const target = { format: 'slack', templateSet: undefined, options: {} };
    const order = { json, startedAt: 0, timesReceived: 1, target, withinMs: 0 };
    const failure = await rejectionOf(large.render(order, () => undefined));
    expect(failure).to.include({ class: 'transient', code: 'not_rendered' });
  });

  it('that the ledger has kept are read again as they are, whatever the check says by now', async () => {
    const kept = Buffer.from(`{"job_id":"1","status":1,"more":"${'x'.repeat(SIZE)}"}`);
    expect(await large.readAgain(kept, LONG_MS)).to.include({ job_id: '1', status: 1 });
  });
});
