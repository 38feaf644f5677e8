/** Whom a message calls at which hour: by the route that tells it then, and in the hours of its destination. */
import { expect } from 'chai';
import { PipelineWorld } from './pipeline-world.ts';

const HOUR = 3_600_000;
/** Friday. */
const EVENING = Date.parse('2026-11-20T20:00:00+09:00');

const HEAD = `
display: { timezone: Asia/Tokyo }
channels:
  slack: { type: outbox, as: slack }`;

const NIGHT = "mute: [{ from: '22:00', to: '08:00' }]";
const EVERYBODY = "{ slack: '#ops', mention_on_error: '@here' }";
const NOBODY = "{ slack: '#ops' }";

const routes = (...all: string[]) =>
  [HEAD, 'routes:', ...all.map((each) => `  - { bot_id: crawler, ${each} }`)].join('\n');

describe('an error', () => {
  let world: PipelineWorld;

  afterEach(async () => {
    await world.close();
    expect(world.troubles).to.deep.equal([]);
  });

  const fail = () => world.post({ bot_id: 'crawler', bot_name: 'Crawler', status: 1, message: 'no login' });
  /** Whether each message that has come calls everybody. */
  const calls = () => world.arrived.splice(0).map(({ lines }) => lines.join(' ').includes('@here'));

  it('calls at night as the route that tells it then, in whichever order they are', async () => {
    const muted = `${NIGHT}, notify: [${EVERYBODY}]`;
    for (const all of [
      [muted, `notify: [${NOBODY}]`],
      [`notify: [${NOBODY}]`, muted],
    ]) {
      world = await PipelineWorld.begin(routes(...all), EVENING);
      await fail();
      const isFirst = all[0] === muted;
      expect(calls(), 'in the evening, as the first').to.deep.equal([isFirst]);
      await world.pass(3 * HOUR);
      await fail();
      expect(calls(), 'at night').to.deep.equal([false]);
      if (isFirst) await world.close();
    }
  });

  it('that was held alone is told as itself, by the route that tells it then', async () => {
    world = await PipelineWorld.begin(
      routes(
        `after_failures: 2, notify: [${EVERYBODY}]`,
        `${NIGHT.replace('08:00', '07:00')}, notify: [${NOBODY}]`,
        `${NIGHT}, notify: [${EVERYBODY}]`,
      ),
      EVENING + 3 * HOUR,
    );
    await fail();
    await world.passBy(9 * HOUR, HOUR);
    const [{ lines } = { lines: [] }] = world.arrived;
    expect(lines.join(' ')).to.match(/Crawler Failed .* no login .* Held back since 20 Nov 2026, 23:00:00/);
    expect(calls()).to.deep.equal([false]);
  });

  it('in a summary calls as the first route that tells an error of it', async () => {
    const told = async (...all: string[]) => {
      world = await PipelineWorld.begin(routes(...all), EVENING + 3 * HOUR);
      await world.post({ bot_id: 'crawler', status: 0 });
      await fail();
      await fail();
      await world.passBy(10 * HOUR, HOUR);
      const [{ lines } = { lines: [] }] = world.arrived;
      expect(lines.join(' ')).to.match(/Held back: \d messages, 2 failed/);
      return calls();
    };
    const unmuted = `on: [recovered], notify: [${NOBODY}]`;
    const errors = `on: [error], ${NIGHT}, notify: [${EVERYBODY}]`;
    const all = `${NIGHT}, notify: [${NOBODY}]`;
    expect(await told(unmuted, errors, all), 'errors call, successes do not').to.deep.equal([true]);
    await world.close();
    expect(await told(`on: [succeeded], ${NIGHT}, notify: [${EVERYBODY}]`, all)).to.deep.equal([false]);
  });
});
