/** What the operators read when a message does not arrive, or a callback is refused, through the whole of Botbell. */
import { expect } from 'chai';
import { request } from 'undici';
import { type BridgeWorld, callback, createBridgeWorld } from '../support/bridge-world.ts';
import { until } from '../support/proof-wait.ts';

const TOKEN = 'a-token-of-the-job-service';

const CONFIG = `
receiver: { listen: '127.0.0.1:0', token: ${TOKEN}, max_body: 2kb }
delivery: { attempts_per_request: 1, permanent_attempts: 0, alerts: [operators] }
display: { language: ja, timezone: Asia/Tokyo }
groups: { operators: [{ slack: '#ops' }, { email: [operators@example.com] }] }
routes:
  - bot_id: gone
    notify: [{ email: [gone@example.com] }]
default_route: { notify: [{ slack: '#old' }] }
`;

describe('The operators', () => {
  let world: BridgeWorld;

  beforeEach(async () => {
    world = await createBridgeWorld(CONFIG);
  });

  afterEach(() => world.close());

  const post = async (body: string, { type = 'application/json', token = TOKEN } = {}) => {
    const url = `http://127.0.0.1:${world.app.receiver.port}/callbacks/${token}`;
    const answer = await request(url, { method: 'POST', headers: { 'content-type': type }, body });
    return [answer.statusCode, await answer.body.text()] as const;
  };
  const alertMails = () =>
    world.mail.mails.filter(({ to }) => to.includes('operators@example.com')).map(({ parsed }) => parsed);
  const untilAlerted = (count: number) =>
    until(`${count} alerts`, () => alertMails().length >= count && world.slack.messages.length >= count);

  it('hear at once of an archived channel, and nothing of it says that the BOT failed', async () => {
    const [status, body] = await post(JSON.stringify(callback({ status: 0, code: 200, message: 'OK' })));
    expect([status, (JSON.parse(body) as { result: string }).result]).to.deep.equal([200, 'taken_over']);
    await untilAlerted(1);
    const [mail] = alertMails();
    const slack = JSON.stringify(world.slack.messages[0]);
    for (const text of [`${mail?.subject} ${mail?.text}`, slack]) {
      expect(text).to.include('slack:#old').and.to.include('請求書取込BOT').and.to.include('is_archived');
      expect(text).to.include('チャンネルがアーカイブされているか');
      expect(text).not.to.match(/エラーになりました|❌|archived; |開始/);
    }
    expect(mail?.subject).to.include('請求書取込BOT').and.to.include('slack:#old');
  });

  it('read the mail server’s own words about an address that is gone', async () => {
    const text = '5.1.1 no such user here';
    world.mail.faults.push({ at: 'rcpt', does: 'refuse', code: 550, text, address: 'gone@example.com' });
    const [status, body] = await post(JSON.stringify(callback({ bot_id: 'gone' })));
    expect([status, (JSON.parse(body) as { result: string }).result]).to.deep.equal([200, 'gave_up']);
    await untilAlerted(1);
    expect(alertMails()[0]?.text)
      .to.include('この宛先には配送できません。アドレスを確認してください。')
      .and.to.include('"550 5.1.1 no such user here"');
  });

  it('hear of a refused body of each kind, once', async () => {
    for (let time = 0; time < 2; time += 1) {
      expect((await post('{"status": 9}'))[0]).to.equal(422);
      expect((await post('nonsense'))[0]).to.equal(400);
      expect((await post('x'.repeat(4096)))[0]).to.equal(413);
      expect((await post('a=b', { type: 'text/plain' }))[0]).to.equal(415);
    }
    await untilAlerted(4);
    const subjects = alertMails().map(
      ({ subject = '' }) => /^127\.0\.0\.1 .*（HTTP \d+）/.exec(subject)?.[0],
    );
    expect(subjects.toSorted()).to.deep.equal(
      [400, 413, 415, 422].map(
        (status) => `127.0.0.1 からのコールバックを受け付けられませんでした（HTTP ${status}）`,
      ),
    );
    const invalid = alertMails().find(({ subject }) => subject?.includes('422'));
    expect(invalid?.text).to.include('/status must be 0, 1 or 2, found the number 9');
  });

  it('hear nothing of who does not know the token', async () => {
    expect((await post('x'.repeat(4096), { token: 'guessed' }))[0]).to.equal(404);
    expect((await post('nonsense', { token: 'guessed' }))[0]).to.equal(404);
    await post('nonsense');
    await untilAlerted(1);
    expect(alertMails()).to.have.length(1);
  });

  it('hear of a config that was not loaded, once, with a link to the page', async () => {
    await world.swap((yaml) => yaml.replace('admin: {', "admin: { url: 'https://botbell.example.com',"));
    for (let time = 0; time < 2; time += 1) {
      const refused = await world.swap((yaml) => `${yaml}rotes: []\n`).catch((error: Error) => error.message);
      expect(refused).to.include('rotes');
    }
    await untilAlerted(1);
    const [mail] = alertMails();
    expect(mail?.text).to.include('rotes').and.to.include('https://botbell.example.com/config');
    expect(alertMails()).to.have.length(1);
  });

  it('still hear of what was settled just before a restart', async () => {
    world.mail.faults.push({ at: 'mail', does: 'refuse', code: 451, text: 'later', times: 1 });
    await post(JSON.stringify(callback()));
    await world.restart();
    await until('an alert', () => world.slack.messages.length > 0);
    expect(world.slack.messages[0]?.text).to.include('slack:#old');
  });
});
