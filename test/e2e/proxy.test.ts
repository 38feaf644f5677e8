/** The whole bridge behind a forward proxy that wants a password: what goes through it, and what nobody sees of it. */
import { expect } from 'chai';
import { pino } from 'pino';
import { request } from 'undici';
import { callback, createBridgeWorld } from '../support/bridge-world.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';

const LOGIN = { user: 'bot', password: 'p@ss:w0rd' };

const ROUTES = `
delivery: { attempts_per_request: 1, permanent_attempts: 0 }
default_route: { notify: [{ slack: '#ops' }, { email: ops@example.com }] }
`;

describe('Behind a forward proxy', () => {
  it('Slack is told through it, mail is not, and nobody sees its password', async () => {
    const proxy = await startForwardProxy({ login: LOGIN });
    const shown: string[] = [];
    const logger = pino({ level: 'debug' }, { write: (line) => void shown.push(line) });
    const config = `proxy: http://bot:p%40ss%3Aw0rd@${proxy.host}${ROUTES}`;
    const world = await createBridgeWorld(config, { logger });
    try {
      const { status, body } = await world.post(callback());
      expect([status, body.result]).to.deep.equal([200, 'delivered']);
      expect([world.slack.messages.length, world.mail.mails.length]).to.deep.equal([1, 1]);
      expect(proxy.asked).to.deep.equal([`${world.slack.apiUrl}chat.postMessage`]);
      for (const path of ['/', '/config', '/dead', '/api/callbacks', '/api/callbacks/1', '/metrics']) {
        const answer = await request(`http://127.0.0.1:${world.app.admin?.port}${path}`);
        shown.push(await answer.body.text());
      }
      expect(shown.join('\n'))
        .to.include('slack:#ops')
        .and.not.to.match(/p(%40|@)ss(%3A|:)w0rd/);
    } finally {
      await world.close();
      await proxy.close();
    }
  });
});
