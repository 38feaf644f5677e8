/** What deploy/watching/README.md tells people to do is possible. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { channelTypes } from '../../../src/channels/registry.ts';
import { formatProblem } from '../../../src/config/problems.ts';
import { loadConfig } from '../../../src/config/load.ts';

const FOLDER = 'deploy/watching';
const README = readFileSync(`${FOLDER}/README.md`, 'utf8');

const REST = `
channels: { slack: { type: outbox, as: slack } }
default_route: { notify: [{ slack: '#ops' }] }
`;

const blocks = [...README.matchAll(/^ *```yaml\n(.*?)^ *```$/gms)].map(([, block = '']) => block);

describe('The guide to watching', () => {
  it('says of each file beside it where it goes', () => {
    const files = readdirSync(FOLDER).filter((file) => file !== 'README.md');
    for (const file of files) expect(README).to.match(new RegExp(`^\\| \`${file}\` +\\|`, 'm'));
  });

  it('shows settings that load without a warning', () => {
    const settings = blocks.filter((block) => /^ *(?:admin|heartbeat):/.test(block));
    expect(settings).to.have.length(2);
    for (const block of settings) {
      const text = block.replaceAll(/^ {3}/gm, '') + REST;
      const { problems } = loadConfig('botbell.yaml', {
        channelTypes,
        builtInTemplates: 'templates',
        variables: {
          ADMIN_PASSWORD: 'for-people-alone',
          METRICS_TOKEN: 'for-scrapers-alone',
          HEARTBEAT_URL: 'https://hc-ping.com/5e0a',
        },
        readFile: () => text,
      });
      expect(problems.map(formatProblem), block).to.deep.equal([]);
    }
  });

  it('quotes the log and the rules to the letter', () => {
    expect(README).to.include('`the heartbeat is taken`');
    expect(readFileSync('src/app/heartbeat.ts', 'utf8')).to.include(`'the heartbeat is taken'`);
    const rules = readFileSync(`${FOLDER}/rules.yaml`, 'utf8');
    for (const quoted of ['absent(up{job="botbell"} == 1)', 'BotbellDown', 'BotbellHeartbeatFailing']) {
      expect(README).to.include(quoted);
      expect(rules).to.include(quoted);
    }
  });
});
