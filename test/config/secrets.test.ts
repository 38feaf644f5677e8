/** What of a config is a secret beside what its channels say: what was put into it, and not its words. */
import { expect } from 'chai';
import { secretsHidden } from '../../src/text/hide-secrets.ts';
import { loadText } from './load-fixture.ts';

const CONFIG = `
channels:
  pager:
    type: webhook
    hooks:
      duty.1:
        url: https://duty.example/enqueue
        headers: { X-Env: production-eu1, X-Team: "team \${TEAM}" }
        body: { component: invoice-bot2, list: [{ text: "{{ message }} \${file:/run/team}" }] }
default_route: { notify: [{ pager: duty.1 }] }
`;

describe('The secrets of a config', () => {
  it('are what came into a hook from the environment or a file, but no word that is written there', () => {
    const files = { '/run/team': 'words of a file' };
    const { config, problems } = loadText(CONFIG, { variables: { TEAM: 'the night shift' }, files });
    expect(problems.filter(({ severity }) => severity === 'error')).to.deep.equal([]);
    const { secrets = [] } = config ?? {};
    expect(secrets).to.include.members(['the night shift', 'words of a file']);
    for (const word of ['production-eu1', 'invoice-bot2']) expect(secrets).not.to.include(word);
  });

  it('hide what stands in a URL however it is written there, and a login in it or in a header as it is sent', () => {
    const KEY = 'gläserne "Tür" {ab}\'^+|x';
    const login = (text: string) => Buffer.from(text).toString('base64');
    const text = `
store: { url: "postgres://bell:geh%20ein@db.internal/bell" }
heartbeat: { url: "https://pünktlich%2Btoken@up.example/\${ESCAPED}" }
proxy: http://bot:kurz@proxy.example:3128
channels:
  pager:
    type: webhook
    hooks:
      a: { url: "https://duty.example/hook/\${KEY}/in", headers: { Authorization: "Basic ${login('bot7:offene Tür')}" } }
      b: { url: "https://duty.example/?of=\${ESCAPED}", headers: { X-Api-Key: "${login('tokenX')}" } }
      d: { url: "https://duty.example/?of=ab+c%2F7890" }
      c: { url: "https://duty.example/", headers: { Authorization: "Basic ${login('schlüssel7:x')}" } }
default_route: { notify: [{ pager: a }] }
`;
    const variables = { KEY, ESCAPED: 'ein%2Fwort%20mehr' };
    const { config, problems } = loadText(text, { variables });
    expect(problems.filter(({ severity }) => severity === 'error')).to.deep.equal([]);
    const hide = secretsHidden(config?.secrets ?? []);
    const { pathname, search } = new URL(`https://h/${KEY}?${KEY}`);
    const spelt = [KEY, encodeURIComponent(KEY), pathname.slice(1), search.slice(1)];
    const logins = ['bell:geh ein', 'pünktlich+token:', 'bot:kurz', 'bot7:offene Tür', 'schlüssel7:x'];
    const ofUrls = ['ab+c/7890', 'ab c/7890', 'ein%2Fwort%20mehr', 'ein/wort mehr', 'pünktlich+token'];
    for (const secret of [...spelt, ...logins.map(login), ...ofUrls, 'offene Tür', 'schlüssel7'])
      expect(hide(`x ${secret}.`)).to.match(/^x \[secret\]=*\.$/);
    const elsewhere = text.replace('bell:geh%20ein@db.internal/bell', 'db/bell?password=als%20Option');
    const asOption = loadText(elsewhere, { variables });
    expect(asOption.config?.secrets).to.include('als Option');
    expect(hide('bot:bell for bot7 at duty.example')).to.equal('bot:bell for bot7 at duty.example');
  });
});
