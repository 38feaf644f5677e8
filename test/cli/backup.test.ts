import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { target } from '../support/recorded.ts';
import { BesideStore } from './beside-store.ts';

const CONFIG = `channels: { slack: { type: slack, token: '\${SLACK_BOT_TOKEN}' } }
default_route: { notify: [{ slack: '#ops' }] }
`;

describe('botbell backup', () => {
  const world = new BesideStore(CONFIG);
  let copy: string;

  const backup = (file = copy) => world.run(['backup', file]);

  beforeEach(async () => {
    copy = join(world.store.folder, 'copy.db');
    await world.recorded.arrive({ job_id: 'j' }, [target('slack:#ops')]);
  });

  it('copies all of it while somebody is writing, for its owner alone, and changes nothing of it', async () => {
    const writer = world.store.connect();
    writer.exec('BEGIN IMMEDIATE');
    const stdout = `${copy}: a whole copy of the store`;
    expect(await backup()).to.deep.equal({ code: 0, stdout, stderr: '' });
    writer.exec('ROLLBACK');
    expect(statSync(copy).mode & 0o777).to.equal(0o600);
    const copied = new DatabaseSync(copy, { readOnly: true });
    expect(copied.prepare('SELECT destination FROM deliveries').all()).to.have.length(1);
    copied.close();
    const beside = readdirSync(world.store.folder).filter((name) => name.startsWith('copy'));
    expect(beside, 'no log and nothing unfinished').to.deep.equal(['copy.db']);
  });

  it('never writes over a file, least of all the ledger, nor to where a link leads', async () => {
    writeFileSync(copy, 'mine');
    const nowhere = join(world.store.folder, 'nowhere.db');
    const link = join(world.store.folder, 'link.db');
    symlinkSync(nowhere, link);
    for (const file of [copy, world.store.file, link]) {
      const stderr = `${file} is there already, and stays as it is: name another file`;
      expect(await backup(file)).to.include({ code: 1, stderr });
    }
    expect(readFileSync(copy, 'utf8')).to.equal('mine');
    expect(existsSync(nowhere)).to.equal(false);
  });

  it('leaves nothing behind where it cannot', async () => {
    const nowhere = await backup(join(world.store.folder, 'none', 'copy.db'));
    expect([nowhere.code, nowhere.stderr.includes('cannot be written')]).to.deep.equal([1, true]);
    world.configure(CONFIG, `sqlite:${world.store.folder}/none.db`);
    const { code, stderr } = await backup();
    expect([code, existsSync(copy)]).to.deep.equal([1, false]);
    expect(stderr).to.match(/^there is no ledger yet at store\.url/);
  });

  it('says to use pg_dump for PostgreSQL', async () => {
    world.configure(CONFIG, 'postgres://bell:secret-password@db/bell');
    const { code, stderr } = await backup();
    expect([code, existsSync(copy)]).to.deep.equal([1, false]);
    expect(stderr).to.include('pg_dump').and.not.to.include('secret-password');
  });
});
