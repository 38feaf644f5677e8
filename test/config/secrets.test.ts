/** What of a config is a secret beside what its channels say: what was put into it, and not its words. */
import { expect } from 'chai';
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
});
