/** What `botbell status` prints; how it ends is tried in test/docs/trouble.test.ts. */
import { expect } from 'chai';
import { BesideStore } from './beside-store.ts';

describe('botbell status', () => {
  let world: BesideStore;

  beforeEach(() => {
    world = new BesideStore();
    world.configure(
      "channels: { slack: { type: outbox, as: slack } }\nroutes: [{ bot_id: '*', notify: [{ slack: '#ops' }] }]\n",
    );
  });

  afterEach(() => world.close());

  it('prints commands that a shell takes as they are, whatever the BOT is called', async () => {
    const bot_id = `Kenji's ${'x'.repeat(100)} $HOME`;
    await world.recorded.arrive({});
    await world.store.run(
      `insert into incidents (kind, subject_key, subject, name, sign, gist, likeness, since, last_at, count, is_waiting, has_dead)
       values ('bot', 'k', '${bot_id.replace("'", "''")}', '', 'error', 'disk full', '', 1, 2, 1, 0, 0)`,
    );
    const { stdout } = await world.run(['status']);
    expect(stdout).to.contain(`\`botbell why --bot 'Kenji'\\''s ${'x'.repeat(100)} $HOME'\` says more`);
    expect(stdout).to.contain('botbell take-up 1 --by NAME');
  });
});
