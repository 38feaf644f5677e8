import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import { NO_RULES } from '../../src/signal/rules.ts';
import { callbackWith } from '../support/callbacks.ts';
import { target } from '../support/recorded.ts';
import { BesideStore } from './beside-store.ts';

const MINUTE_MS = 60_000;
const NIGHT = '2199-12-31T23:00';
const NOON = '2199-12-31T12:00';
const TO_OPS = 'slack:#ops (get_items)';
const AFTER_FAILURES = [
  TO_OPS,
  'get_items: Not told to slack:#ops: the route tells errors only from a number of them in a row on (after_failures).',
  'depends on what came before: after_failures',
];
const ERROR = { bot_id: 'get_items', status: 1, message: 'no stock' } as const;

describe('botbell route, of rules', () => {
  const world = new BesideStore('');

  /** The lines of a destination. */
  const route = async (fields: Partial<Callback>, ...args: readonly string[]) => {
    const file = join(world.store.folder, 'callback.json');
    const start_time = new Date(world.clock.now()).toISOString();
    writeFileSync(file, JSON.stringify({ ...callbackWith(fields), start_time }));
    const at = args.length === 0 ? ['--at', start_time] : args;
    const { code, stdout, stderr } = await world.run(['route', file, ...at]);
    expect(code, stderr).to.equal(0);
    const [heading = '', others = ''] = stdout.split(/(?=^reaches )/m);
    const [, ...lines] = others.split('\n').map((line) => line.trim());
    return { heading, lines, stderr };
  };
  /** @param words apart by blanks */
  const ask = (words: string) => world.run(['route', ...words.split(' ')]);
  const configure = (rules: string, url?: string) =>
    world.configure(
      `
channels: { slack: { type: outbox, as: slack } }
routes:
  - bot_id: get_items
    notify: [{ slack: '#ops' }]
    ${rules}
`,
      url,
    );
  const errorsCame = async (count: number) => {
    const rules = { ...NO_RULES, afterFailures: 3, repeat: 3_600_000 };
    const asked = [{ name: 'get_items', on: ['error'] as const, rules, timer: undefined }];
    const watched = { isRemembered: true };
    for (let index = 0; index < count; index += 1) {
      const planned = { ...target('slack:#ops'), asked };
      await world.recorded.arrive({ ...ERROR, job_id: `job ${index}` }, [planned], { watched });
      world.clock.setBy(MINUTE_MS);
    }
  };

  const snoozed = () => {
    const actor = { via: 'command line', user: 'kenji', from: 'host' } as const;
    const until = Date.parse('2199-12-31T09:00Z');
    const asked = { botId: 'get_items', until, isUntilSuccess: true, because: 'moving', actor };
    return world.recorded.actions.snooze(asked);
  };

  it('says whom steps of the route tell, and when, of an error', async () => {
    configure(
      'then: [{ after: 90s, unless: delivered, notify: [{ slack: "#duty" }] }, { after: 1h, notify: [{ slack: "#boss" }] }]',
    );
    expect((await route(ERROR)).lines.filter((line) => line !== '').slice(-3)).to.deep.equal([
      'then, counted from when the route first tells of it:',
      'after 1 min 30 s, unless it is over, or one of the route has got it: slack:#duty (get_items)',
      'after 1 h, unless it is over or taken up: slack:#boss (get_items)',
    ]);
    expect((await route({ bot_id: 'get_items', status: 0 })).lines.join()).not.to.include('then,');
    const { stdout } = await ask('--bot get_items --status error --format json');
    const { steps } = JSON.parse(stdout) as { readonly steps: readonly object[] };
    const step = { after_seconds: 90, unless_delivered: true, notify: ['slack:#duty'], route: 'get_items' };
    expect(steps[0]).to.deep.equal(step);
  });

  it('says which rule holds it at that time, and until when', async () => {
    configure('mute: [{ from: "22:00", to: "07:00" }]');
    const night = await route(ERROR, '--at', NIGHT);
    expect(night.heading).to.include('bot_id "get_items", error, at 31 Dec 2199, 23:00:00 (GMT+9)');
    expect(night.lines).to.deep.equal([
      TO_OPS,
      'get_items: Held back for slack:#ops until 1 Jan 2200, 07:00: the route is muted then (mute).',
    ]);
    expect((await route(ERROR, '--at', NOON)).lines).to.deep.equal([TO_OPS, 'get_items: told']);
  });

  it('says what came before, as the store knows it, and changes nothing there', async () => {
    configure('after_failures: 3');
    await errorsCame(1);
    for (const _ of [1, 2]) expect((await route(ERROR)).lines).to.deep.equal(AFTER_FAILURES);
    await errorsCame(2);
    const [, verdict] = (await route(ERROR)).lines;
    expect(verdict).to.equal('get_items: told');
  });

  it('says which success is news', async () => {
    await errorsCame(4);
    configure('on: [error, recovered]');
    expect((await route({ bot_id: 'get_items', status: 0 })).lines).to.deep.equal([
      TO_OPS,
      'get_items: told (as recovered)',
      'depends on what came before: recovered',
    ]);
  });

  it('names the snooze that holds it, who asked and why', async () => {
    configure('on: [error]');
    await snoozed();
    expect((await route(ERROR)).lines[1]).to.equal(
      'get_items: Held back for slack:#ops until 31 Dec 2199, 18:00: somebody has snoozed it, which may end sooner. (snooze 1, kenji: moving)',
    );
    expect((await route(ERROR, '--at', NIGHT)).lines[1], 'it is over by then').to.equal('get_items: told');
  });

  it('says without a store what depends on what came before, and makes none', async () => {
    const file = join(world.store.folder, 'none.db');
    configure('after_failures: 3', `sqlite:${file}`);
    const { lines, stderr } = await route(ERROR);
    expect(lines).to.deep.equal(AFTER_FAILURES);
    expect(stderr).to.match(/^what came before, and what is snoozed, is not known: there is no ledger yet/);
    expect(existsSync(file)).to.equal(false);
  });

  it('asks of a BOT without a callback, of each status or of one, and says what it cannot know', async () => {
    configure('on: [error]\n    when: code > 1');
    expect((await ask('--bot get_items')).stdout.match(/^bot_id .*|^reaches.*/gm)).to.deep.equal([
      'bot_id "get_items", succeeded',
      'reaches nobody',
      'bot_id "get_items", error',
      'reaches 1:',
      'bot_id "get_items", executing',
      'reaches nobody',
    ]);
    const one = await ask(`--bot get_items --status error --at ${NOON} --format json`);
    const { routes, ...said } = JSON.parse(one.stdout) as { routes: readonly object[] };
    const reached = { destination: 'slack:#ops', route: 'get_items', template_set: null };
    const ops = { ...reached, is_certain: true, does: 'tell' };
    expect(said).to.deep.equal({
      bot_id: 'get_items',
      status: 'error',
      at: '2199-12-31T03:00:00.000Z',
      reaches: [{ ...ops, rules: ['get_items: told', 'depends on the callback: code > 1'] }],
      steps: [],
    });
    expect(routes[0]).to.include({ route: 'get_items', applies: true });
    expect((await ask('--bot get_items --status error')).stdout).to.include(
      '\n    its rules decide (when): ask with --at now',
    );
  });

  it('lists whom each BOT reaches that the config or the store names', async () => {
    configure(
      "on: [error, recovered]\n  - bot_id: ['x-*', 請求書]\n    notify: [{ slack: '#a' }, { slack: '#b' }]",
    );
    await world.recorded.arrive({ bot_id: 'x-1' });
    const { code, stdout } = await ask('--all');
    expect([code, ...stdout.split('\n')]).to.deep.equal([
      0,
      'BOT        of                           reaches',
      'get_items  succeeded                    perhaps slack:#ops',
      'get_items  error                        slack:#ops',
      'get_items  executing                    reaches nobody',
      'x-1        succeeded, error, executing  slack:#a, slack:#b',
      '請求書     succeeded, error, executing  slack:#a, slack:#b',
      'perhaps, by what came before: --at now tells',
    ]);
    expect(JSON.parse((await ask('--all --format json')).stdout) as object[]).to.have.length(9);
    configure('on: [error]', `sqlite:${join(world.store.folder, 'none.db')}`);
    const { stdout: named, stderr } = await ask('--all');
    expect(named).not.to.include('x-1');
    expect(stderr).to.match(/^only what the config names is listed: there is no ledger yet/);
  });

  it('shows an id as it came where it would look like another one', async () => {
    configure('on: [error]');
    await world.recorded.arrive({ bot_id: 'get_items ' });
    await world.recorded.arrive({ bot_id: '請求\u3000書\n' });
    const { stdout } = await ask('--all');
    expect(stdout.split('\n').map((line) => line.split('  ')[0])).to.include.members([
      'get_items',
      '"get_items "',
      String.raw`"請求\u3000書\n"`,
    ]);
    const of = await ask('--bot get_items\u00a0\u200b --status error');
    expect(of.stdout).to.match(/^bot_id "get_items\\u00a0\\u200b", error\n/);
  });

  it('speaks the language of the config', async () => {
    configure('on: [error]');
    world.rewrite('display: {', '$& language: ja,');
    await snoozed();
    const told = await ask(`--bot get_items --status error --at ${NIGHT}`);
    expect(told.stdout).to.include('通知先 1件：').and.to.include('get_items: 知らせます');
    const held = await ask(`--bot get_items --status error --at ${NOON}`);
    expect(held.stdout).to.include('(スヌーズ 1、kenji: moving)').and.not.to.include('snooze');
  });
});
