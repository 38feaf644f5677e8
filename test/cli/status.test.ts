/** What `botbell status` prints, and how it ends where nothing is open; where something is, test/docs/operating.test.ts tries it. */
import { expect } from 'chai';
import { BesideStore } from './beside-store.ts';

const CONFIG =
  "channels: { slack: { type: outbox, as: slack } }\nroutes: [{ bot_id: '*', notify: [{ slack: '#ops' }] }]\n";

describe('botbell status', () => {
  const world = new BesideStore(CONFIG);

  it('prints each with its cause, and commands that a shell takes as they are, whatever the BOT is called', async () => {
    const bot_id = `Kenji's ${'x'.repeat(100)} $HOME`;
    await world.recorded.arrive({});
    await world.recorded.incident(`subject = '${bot_id.replace("'", "''")}'`);
    await world.recorded.incident(
      "kind = 'destination', subject = 'slack:#ops', sign = 'config', gist = 'no token'",
    );
    const { stdout } = await world.run(['status']);
    expect(stdout).to.contain(`\`botbell why --bot 'Kenji'\\''s ${'x'.repeat(100)} $HOME'\` says more`);
    expect(stdout).to.contain('botbell take-up 1 --by NAME');
    expect(stdout).to.contain('slack:#ops: a setting is wrong: no token (1 time');
    expect(stdout).to.contain(' failed: disk full (1 time');
    const stderr = 'not of 77: `botbell status` says what is open';
    const taken = await world.run(['take-up', '1', '77', '--by', 'kenji']);
    expect(taken).to.deep.equal({ code: 1, stdout: 'kenji is on it.', stderr });
    expect((await world.run(['status'])).stdout)
      .to.contain('take-up 2 --')
      .and.not.to.contain('take-up 1');
    const neither = await world.run(['take-up', '77', '78', '--by', 'kenji']);
    expect(neither).to.deep.equal({ code: 1, stdout: '', stderr: stderr.replace('77', '77, 78') });
    expect(await world.run(['take-up', '1', '2', '--give-back'])).to.include({ code: 0 });
  });

  it('tells BOTs of one name apart', async () => {
    for (const subject of ['a', 'b', 'other']) {
      await world.recorded.arrive({ bot_id: subject });
      const set = `subject = '${subject}', subject_key = '${subject}', name = 'Invoices'`;
      await world.recorded.incident(`${set}, likeness = '${subject.slice(1)}'`);
    }
    const { stdout } = await world.run(['status']);
    expect(stdout).to.contain('Invoices (a), Invoices (b) failed: disk full (2 BOTs');
    expect(stdout).to.contain('Invoices (other) failed: disk full (1 time');
  });

  it('hides a secret in a name before the name is cut', async () => {
    const secret = 'fedcba9876543210'.repeat(8);
    world.configure(`receiver: { token: ${secret} }\n${CONFIG}`);
    await world.recorded.arrive({});
    await world.recorded.incident(`name = '${secret}'`);
    const { stdout } = await world.run(['status']);
    expect(stdout).to.contain(' failed: disk full').and.not.to.contain(secret.slice(0, 16));
  });

  it('says that all is well while a process writes to the store', async () => {
    await world.recorded.loadConfig('config');
    expect(await world.run(['status'])).to.deep.include({ code: 0, stdout: 'all is well' });
    world.rewrite('display: {', '$& language: ja,');
    expect(await world.run(['status'])).to.deep.include({ code: 0, stdout: '問題はありません' });
    await world.store.run('update processes set seen_at = seen_at - 15000');
    expect(await world.run(['status'])).to.deep.include({ code: 3, stdout: '' });
  });

  it('says that the store is full, which no process can write into it', async () => {
    await world.recorded.loadConfig('config');
    world.rewrite(' }', ', max_size: 10mb }');
    const fill = (bytes: number) =>
      world.store.run(`update processes set config_hash = printf('%.*c', ${bytes}, 'x')`);
    await fill(2e6);
    expect(await world.run(['status'])).to.deep.include({ code: 0, stdout: 'all is well' });
    await fill(12e6);
    const { code, stdout, stderr } = await world.run(['status']);
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.include('the store has reached store.max_size');
  });

  it('counts no error that after_failures still waits for, and marks it as one', async () => {
    await world.recorded.loadConfig('config');
    await world.recorded.incident('is_waiting = 1');
    const { code, stdout } = await world.run(['status', '--format', 'json']);
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.have.nested.property('[0].is_waiting', true);
  });

  it('says that it is not known where none does: it has ended, or the disk is full', async () => {
    await world.recorded.loadConfig('config');
    await world.store.run('update processes set seen_at = seen_at - 60000');
    const { code, stdout, stderr } = await world.run(['status']);
    expect([code, stdout]).to.deep.equal([3, '']);
    expect(stderr).to.include('not known: no process of Botbell has written to the store');
    await world.recorded.incident('is_waiting = 1');
    expect(await world.run(['status']), 'nobody is told yet').to.include({ code: 3 });
    await world.recorded.incident();
    const some = await world.run(['status']);
    expect(some.code).to.equal(1);
    expect(some.stdout).to.include('disk full');
    expect(some.stderr, 'with what is listed').to.match(/^no process of Botbell has written to the store/);
  });

  it('goes on while a calendar’s file is gone, as the service does', async () => {
    world.configure(`${CONFIG}calendars: { office: { except: [{ file: gone.csv }] } }\n`);
    await world.recorded.loadConfig('config');
    expect(await world.run(['status'])).to.deep.include({ code: 0, stdout: 'all is well' });
    for (const args of [['report'], ['snooze', '--list']])
      expect(await world.run(args), args[0]).to.include({ code: 0 });
  });

  it('says that it is not known in the language of a config that is wrong', async () => {
    world.rewrite('Asia/Tokyo', 'Tokio, language: ja');
    const { code, stderr } = await world.run(['status']);
    expect(code).to.equal(3);
    expect(stderr).to.match(/^確認できません：.*:2:12: display\.timezone：IANAの/);
  });
});
