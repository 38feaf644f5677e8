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

  beforeEach(async () => {
    world = await createBridgeWorld(CONFIG);
  });

  afterEach(() => world.close());

  const post = async (body: string, type = 'application/json') => {
    const url = `http://127.0.0.1:${world.app.receiver.port}/callbacks/${TOKEN}`;
    const answer = await request(url, { method: 'POST', headers: { 'content-type': type }, body });
    await answer.body.dump();
    return answer.statusCode;
  };
  const alertMails = () =>
    world.mail.mails.filter(({ to }) => to.includes('operators@example.com')).map(({ parsed }) => parsed);
  const untilAlerted = (count: number) =>
    until(`${count} alerts`, () => alertMails().length >= count && world.slack.messages.length >= count);

  it('hear of a refused body of each kind, once', async () => {
    for (let time = 0; time < 2; time += 1) {
      expect(await post('{"status": 9}')).to.equal(422);
      expect(await post('nonsense')).to.equal(400);
      expect(await post('x'.repeat(4096))).to.equal(413);
      expect(await post('a=b', 'text/plain')).to.equal(415);
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
    expect(invalid?.text).to.include(
      '/status must be the integer 0 (succeeded), 1 (error) or 2 (executing), found the number 9',
    );
  });

  it('hear of a config that was not loaded, once, with a link to the page', async () => {
    await world.swap((yaml) => yaml.replace('admin: {', "admin: { url: 'https://botbell.example.com',"));
    for (let time = 0; time < 2; time += 1) {
      const wrong = (yaml: string) => `${yaml.replace('rotes: []\n', '')}rotes: []\n`;
      const refused = await world.swap(wrong).catch((error: Error) => error.message);
      expect(refused).to.include('rotes');
    }
    await untilAlerted(1);
    const [mail] = alertMails();
    expect(mail?.text).to.include('rotes').and.to.include('https://botbell.example.com/config');
    expect(alertMails()).to.have.length(1);
  });
});
