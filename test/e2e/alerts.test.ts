/** What the operators read when a message does not arrive, or a callback is refused, through the whole of Botbell. */
import { expect } from 'chai';
import { forAll } from '../support/anew.ts';
import { createBridgeWorld } from '../support/bridge-world.ts';
import { until } from '../support/proof-wait.ts';

const CONFIG = `
receiver: { listen: '127.0.0.1:0', max_body: 2kb }
delivery: { attempts_per_request: 1, permanent_attempts: 0, alerts: [operators] }
display: { language: ja, timezone: Asia/Tokyo }
groups: { operators: [{ slack: '#ops' }, { email: [operators@example.com] }] }
default_route: { notify: [{ slack: '#old' }] }
`;

describe('The operators', () => {
  const world = forAll(() => createBridgeWorld(CONFIG));

  it('hear once of a refused body of each kind, and of no config that was mended at once', async () => {
    await world.swap((yaml) => yaml.replace('admin: {', "admin: { url: 'https://botbell.example.com',"));
    for (let time = 0; time < 2; time += 1) {
      for (const body of ['{"status": 9}', 'nonsense', 'x'.repeat(4096)]) await world.post(body);
      const refused = await world.swap((yaml) => `${yaml}rotes: []\n`).catch((error: Error) => error.message);
      expect(refused).to.include('rotes');
      expect(await world.metrics()).to.include('botbell_config_reload_ok 0');
      await world.swap((yaml) => yaml.replace('rotes: []\n', ''));
    }
    await until('3 messages', () => Math.min(world.mail.mails.length, world.slack.messages.length) >= 3);
    const told = world.mail.mails.map(({ parsed }) => `${parsed.subject} ${parsed.text}`).join('\n');
    for (const status of [400, 413, 422])
      expect(told).to.include(`127.0.0.1 からのコールバックを受け付けられませんでした（HTTP ${status}）`);
    expect(told)
      .to.include('/status 整数0（成功）、1（エラー）、2（実行中）のいずれかが必要ですが、数値 9 です')
      .and.not.to.include('rotes');
    expect(world.mail.mails.map(({ to }) => to.join())).to.deep.equal(Array(3).fill('operators@example.com'));
  });
});
