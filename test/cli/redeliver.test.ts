/** What `botbell redeliver` says before it asks, and what it does by the answer; who delivers is the service. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { systemClock } from '../../src/time/clock.ts';
import type { CommandInput } from '../support/command.ts';
import { target } from '../support/recorded.ts';
import { BesideStore } from './beside-store.ts';

const HOUR_MS = 3_600_000;

describe('botbell redeliver, asked at a terminal', () => {
  const world = new BesideStore(`
channels: { slack: { type: outbox, as: slack } }
routes: [{ bot_id: get_items, notify: [{ slack: '#ops' }, { slack: '#log' }] }]
`);

  /** @returns the ids of their deliveries */
  const deadLetters = async (destinations: readonly string[], hoursAgo: number) => {
    world.clock.setBy(systemClock.now() - hoursAgo * HOUR_MS - world.clock.now());
    const ids: number[] = [];
    for (const to of destinations)
      ids.push(...(await world.recorded.deadLetters([`${to} ${hoursAgo}`], {}, target(to))));
    return ids.map(String);
  };
  const counts = async () => {
    const { pending, dead } = await world.recorded.archive.countOpen();
    return { pending, dead };
  };
  /** As the service does, step by step. */
  const service = async () => {
    while ((await world.recorded.actions.continueBulk()).isMore);
  };
  const redeliver = (args: string[], input?: CommandInput) => world.run(['redeliver', ...args], input);

  it('says how many and to whom, and does nothing unless the answer is yes', async () => {
    await deadLetters(['slack:#ops'], 50);
    await deadLetters(['slack:#ops', 'slack:#log'], 3);
    for (const answer of ['', 'n', 'nope', 'y e s']) {
      const { code, stdout, stderr } = await redeliver(['--dead'], { answer });
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(
        /^3 messages\n {2}slack:#ops: 2\n {2}slack:#log: 1\nDeliver again\? \[y\/N\] \nnothing was changed$/,
      );
    }
    expect(await counts()).to.deep.equal({ pending: 0, dead: 3 });
    const { code, stdout } = await redeliver(['--dead'], { answer: ' Yes ' });
    expect([code, stdout.slice(0, 22)]).to.deep.equal([0, '3 messages given back:']);
    await service();
    expect(await counts()).to.deep.equal({ pending: 3, dead: 0 });
  });

  it('takes of the dead letters those of a destination and of the latest days, and asks nobody with --yes', async () => {
    await deadLetters(['slack:#ops'], 50);
    await deadLetters(['slack:#ops', 'slack:#log'], 3);
    const some = ['--dead', '--destination', 'slack:#ops', '--since', '2d'];
    const said = 'nothing was changed: nobody is at a terminal to be asked; with --yes it is done';
    const stderr = `1 message\n  slack:#ops: 1\n${said}`;
    expect(await redeliver(some)).to.deep.equal({ code: 1, stdout: '', stderr });
    const none = await redeliver(['--dead', '--since', '1m', '--yes']);
    expect(none).to.include({ code: 1, stderr: 'nothing matches that can be delivered again' });
    const stdout = '1 message dismissed by the service while it runs';
    expect(await redeliver([...some, '--dismiss', '--yes'])).to.include({ code: 0, stdout });
    await service();
    expect(await counts()).to.deep.equal({ pending: 0, dead: 2 });
  });

  it('does what it can, and says which delivery there is none of', async () => {
    const [one = ''] = await deadLetters(['slack:#ops'], 3);
    const { code, stdout, stderr } = await redeliver([one, one, '77'], { answer: 'y' });
    expect([code, stdout.slice(0, 20)]).to.deep.equal([1, '1 message given back']);
    expect(stderr).to.match(
      /^2 messages\nDeliver again\? \[y\/N\] \n77 is left alone: The ledger has nothing of this id.$/,
    );
    expect(await counts()).to.deep.equal({ pending: 1, dead: 0 });
  });

  it('says of a job whom its callbacks lack by today’s config, and asks', async () => {
    await world.recorded.arrive({ job_id: 'j' });
    const asked = await redeliver(['--route', 'j'], { answer: 'n' });
    expect(asked.code).to.equal(1);
    expect(asked.stderr)
      .to.include('1 callback of job "j", which today’s config tells slack:#ops, slack:#log\n')
      .and.to.include('Deliver again? [y/N]');
    const { code, stdout } = await redeliver(['--route', 'j'], { answer: 'y' });
    expect([code, stdout.slice(0, 22)]).to.deep.equal([0, '2 messages given back:']);
    expect(await counts()).to.include({ pending: 2 });
    const done = await redeliver(['--route', 'j', '--yes']);
    expect([done.code, done.stderr.includes('names nobody else')]).to.deep.equal([1, true]);
    const unknown = await redeliver(['--route', 'no-such-job', '--yes']);
    expect([unknown.code, unknown.stderr.includes('no callback of job')]).to.deep.equal([1, true]);
  });

  it('routes nothing anew by a config that is wrong, names nobody, or is not the running service’s', async () => {
    await world.recorded.arrive({ job_id: 'j' });
    const good = readFileSync(world.config, 'utf8');
    const refusalOf = async (text: string) => {
      writeFileSync(world.config, text);
      const { code, stdout, stderr } = await redeliver(['--route', 'j', '--yes']);
      expect([code, stdout]).to.deep.equal([1, '']);
      return stderr;
    };
    expect(await refusalOf(`${good}no_such_key: 1\n`)).to.include('no_such_key');
    expect(await refusalOf(good.replace('get_items', 'another'))).to.include('names nobody');
    await world.recorded.loadConfig('another');
    expect(await refusalOf(good)).to.include('the running service has another config');
    expect(await counts()).to.include({ pending: 0 });
  });

  it('keeps nothing of the ledger from the service while it waits for the answer', async () => {
    await deadLetters(['slack:#ops'], 3);
    const other = world.store.connect();
    const seen: unknown[] = [];
    const whileAsked = () => {
      other.exec('BEGIN IMMEDIATE; COMMIT');
      seen.push(other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get());
    };
    await redeliver(['--dead'], { answer: 'n', whileAsked });
    expect(seen).to.deep.equal([{ busy: 0, log: 0, checkpointed: 0 }]);
  });
});
