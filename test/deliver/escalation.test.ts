/** Who else is told of a trouble that nobody takes up, and when: the whole pipeline, in time moved by hand. */
import { expect } from 'chai';
import { DeliveryFailure } from '../../src/channels/failure.ts';
import { anew } from '../support/anew.ts';
import { DAY, MINUTE, SECOND } from '../support/manual-clock.ts';
import { PipelineWorld } from './pipeline-world.ts';

const NIGHT = Date.parse('2026-11-20T03:00:00Z');

const CHANNELS = `
channels: { slack: { type: outbox, as: slack }, email: { type: outbox, as: email } }`;

const ROUTE = `
  - bot_id: crawler
    on: [error]
    notify: [{ slack: '#ops' }]
    then:
      - { after: 10m, notify: [{ email: duty@example.com }] }
      - { after: 30m, notify: [{ email: duty@example.com }, { slack: '#leads' }] }`;

const CONFIG = `${CHANNELS}\nroutes:${ROUTE}`;

const MUTED = "mute: [{ from: '02:00', to: '03:20' }]";
const DOWN = new DeliveryFailure({ class: 'transient', code: 'ECONNREFUSED', message: 'no connection' });

describe('Of a trouble that lasts', () => {
  const world = anew(() => PipelineWorld.begin(CONFIG, NIGHT));

  afterEach(() => expect(world.troubles).to.deep.equal([]));

  const post = (status: 0 | 1 | 2, fields: object = {}) => {
    const message = status === 1 ? 'no login' : null;
    return world.post({ bot_id: 'crawler', bot_name: 'Crawler', status, message, ...fields });
  };
  /** `+10 email:duty@example.com`: minutes since the night began. */
  const arrived = () =>
    world.arrived
      .splice(0)
      .toSorted((a, b) => a.at - b.at || (a.destination < b.destination ? -1 : 1))
      .map(({ at, destination }) => `+${Math.floor((at - NIGHT + SECOND) / MINUTE)} ${destination}`);
  /** What has arrived by so many minutes later. */
  const after = async (minutes: number) => {
    await world.passBy(minutes * MINUTE, MINUTE);
    return arrived();
  };
  const open = () => world.first.ledger.archive.openIncidents();
  const takeUp = async (by = 'kenji') => {
    const ids = (await open()).map(({ id }) => id);
    await world.first.ledger.actions.takeUp(ids, { by, because: '' }, []);
    return ids;
  };

  it('further people are told, each once, by the same template, with whom it was told before and that nobody is on it', async () => {
    await post(1);
    expect(await after(9)).to.deep.equal(['+0 slack:#ops']);
    await post(1, { message: 'no login at all' });
    await world.passBy(2 * MINUTE, MINUTE);
    const [, mail] = world.arrived;
    expect(mail?.lines.join('\n')).to.include('no login at all');
    expect(mail?.lines.join('\n')).to.include('Told before: slack:#ops · Nobody has taken it up');
    expect(arrived()).to.deep.equal(['+9 slack:#ops', '+10 email:duty@example.com']);
    expect(await after(60)).to.deep.equal(['+30 slack:#leads']);
    await world.pass(2 * DAY);
    expect(arrived()).to.deep.equal([]);
  });

  it('a second way is told unless one destination of the route has got it, even where somebody is on it', async () => {
    await world.reload(CONFIG.replace('after: 10m', 'after: 10m, unless: delivered'));
    await post(1);
    expect(await after(11)).to.deep.equal(['+0 slack:#ops']);
    await post(0);
    world.fails('slack:#ops', ...Array.from({ length: 99 }, () => DOWN));
    await post(1);
    await takeUp();
    await world.passBy(11 * MINUTE, MINUTE);
    const mail = world.arrived.find(({ destination }) => destination === 'email:duty@example.com');
    expect(mail?.lines.join('\n')).to.include('Nobody has got it so far · kenji is on it');
  });

  it('a step that is held is told once nothing holds it any more', async () => {
    await post(1);
    const actor = { via: 'api', user: 'jane', from: 'test' } as const;
    const until = NIGHT + 40 * MINUTE;
    const asked = { destination: 'email:duty@example.com', until, isUntilSuccess: false, because: '', actor };
    const id = await world.first.ledger.actions.snooze(asked);
    expect(await after(35)).to.deep.equal(['+0 slack:#ops', '+30 slack:#leads']);
    await world.first.ledger.actions.endSnooze(id);
    expect(await after(2)).to.deep.equal(['+36 email:duty@example.com']);
  });

  it('it counts from the end of the hold of what was held', async () => {
    await world.reload(CONFIG.replace('on: [error]', `on: [error]\n    ${MUTED}`));
    for (const message of ['no login', 'no page']) await post(1, { message });
    expect(await after(29)).to.deep.equal(['+20 slack:#ops']);
    expect(await after(2)).to.deep.equal(['+30 email:duty@example.com']);
  });

  it('a success of an older run begins nothing by being told at the end of a hold', async () => {
    const muted = `on: [succeeded]\n    overdue: 5m\n    ${MUTED}`;
    const errors = "\n  - { bot_id: 'crawl*', on: [error], notify: [{ slack: '#log' }] }";
    await world.reload(CONFIG.replace('on: [error]', muted) + errors);
    await post(1);
    await post(0, { start_time: '2026-11-20T01:00:00Z' });
    expect(await after(40)).to.deep.equal(['+0 slack:#log', '+20 slack:#ops']);
    expect(await open()).to.have.length(1);
  });

  it('an overdue run and a missed result count as an error does', async () => {
    const expected = "on: [succeeded]\n    overdue: 5m\n    expect: { cron: '0 4 * * *', grace: 10m }";
    await world.reload(CONFIG.replace('on: [error]', expected));
    await post(2);
    expect(await after(16)).to.deep.equal(['+5 slack:#ops', '+15 email:duty@example.com']);
    await post(0);
    await world.pass(MINUTE);
    arrived();
    expect(await after(64)).to.deep.equal(['+70 slack:#ops', '+80 email:duty@example.com']);
    await post(0);
    await world.pass(MINUTE);
    const recovered = world.arrived.find(({ destination }) => destination === 'email:duty@example.com');
    expect(recovered?.lines[0], 'of no error').to.equal('Crawler works again');
    world.arrived.splice(0);
  });

  it('the story says who is told next, and who was told so', async () => {
    await post(1);
    const next = async () => (await world.first.ledger.archive.story(1))?.next;
    const step = { at: NIGHT + 10 * MINUTE, who: ['email:duty@example.com'], unlessDelivered: false };
    expect(await next()).to.deep.equal([step]);
    await world.passBy(11 * MINUTE, MINUTE);
    expect(await next()).to.deep.equal([{ ...step, at: NIGHT + 30 * MINUTE, who: ['slack:#leads'] }]);
    expect((await world.store.rows('history')).map(({ what }) => what)).to.include('escalated');
    await takeUp();
    expect(await next()).to.deep.equal([]);
  });

  for (const [what, was, is] of [
    ['by route and position', 'after: 10m, notify: [{ email: duty', 'after: 10m, notify: [{ email: new'],
    ['though its route gets a name', '- bot_id: crawler', '- name: night\n    bot_id: crawler'],
  ] as const)
    it(`today’s steps are told, counted from when it was, ${what}`, async () => {
      await post(1);
      await after(11);
      await world.reload(CONFIG.replace(was, is).replace('30m', '15m'));
      expect(await after(5)).to.deep.equal(['+15 slack:#leads']);
      await world.reload(CONFIG);
      expect(await after(60)).to.deep.equal([]);
    });
});
