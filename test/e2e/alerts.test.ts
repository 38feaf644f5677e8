/** What the operators read when a message does not arrive, or a callback is refused, through the whole of Botbell. */
import { expect } from 'chai';
import { request } from 'undici';
import { type BridgeWorld, createBridgeWorld } from '../support/bridge-world.ts';
import { until } from '../support/proof-wait.ts';

const TOKEN = 'a-token-of-the-job-service';

const CONFIG = `
receiver: { listen: '127.0.0.1:0', token: ${TOKEN}, max_body: 2kb }
delivery: { attempts_per_request: 1, permanent_attempts: 0, alerts: [operators] }
display: { language: ja, timezone: Asia/Tokyo }
groups: { operators: [{ slack: '#ops' }, { email: [operators@example.com] }] }
default_route: { notify: [{ slack: '#old' }] }
`;

describe('The operators', () => {
  let world: BridgeWorld;

  afterEach(() => world.close());

  const post = async (body: string, type = 'application/json') => {
    const url = `http://127.0.0.1:${world.app.receiver.port}/callbacks/${TOKEN}`;
    const answer = await request(url, { method: 'POST', headers: { 'content-type': type }, body });
    await answer.body.dump();
    return answer.statusCode;
  };

  it('hear once of a refused body of each kind, and of no config that was mended at once', async () => {
    world = await createBridgeWorld(CONFIG);
    await world.swap((yaml) => yaml.replace('admin: {', "admin: { url: 'https://botbell.example.com',"));
    for (let time = 0; time < 2; time += 1) {
      expect(await post('{"status": 9}')).to.equal(422);
      expect(await post('nonsense')).to.equal(400);
      expect(await post('x'.repeat(4096))).to.equal(413);
      expect(await post('a=b', 'text/plain')).to.equal(415);
      const refused = await world.swap((yaml) => `${yaml}rotes: []\n`).catch((error: Error) => error.message);
      expect(refused).to.include('rotes');
      expect(await world.metrics()).to.include('botbell_config_reload_ok 0');
      await world.swap((yaml) => yaml.replace('rotes: []\n', ''));
    }
    await until('4 messages', () => Math.min(world.mail.mails.length, world.slack.messages.length) >= 4);
    const told = world.mail.mails.map(({ parsed }) => `${parsed.subject} ${parsed.text}`).join('\n');
    for (const status of [400, 413, 415, 422])
      expect(told).to.include(`127.0.0.1 からのコールバックを受け付けられませんでした（HTTP ${status}）`);
    expect(told)
      .to.include('/status 整数0（成功）、1（エラー）、2（実行中）のいずれかが必要ですが、数値 9 です')
      .and.not.to.include('rotes');
    expect(world.mail.mails.map(({ to }) => to.join())).to.deep.equal(Array(4).fill('operators@example.com'));
  });
});
