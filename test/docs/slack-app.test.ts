/** docs/slack-app.md says of Slack what the code does: its manifest asks for what is called, its tables explain each code. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { SLACK_MEANINGS } from '../../src/channels/slack/answers.ts';
import { startSlackStandIn } from '../support/faulty-slack.ts';
import { runCommand } from '../support/command.ts';
import { blocksOf, readDocument, sessionsIn } from '../support/documents.ts';
import { leavesOf } from '../support/leaves.ts';
import { tempFolder } from '../support/temp-folder.ts';

const TEXT = readDocument('docs/slack-app.md');

/** Slack: "Scopes" on the page of each method (docs.slack.dev/reference/methods). The channel's test takes no other call. */
const SCOPES_OF: Readonly<Record<string, readonly string[]>> = {
  'auth.test': [],
  'chat.postMessage': ['chat:write'],
  'chat.update': ['chat:write'],
};

/** What of Slack's schema of manifests is used (github.com/slackapi/manifest-schema, manifest.schema.1.0.0.json). */
const MANIFEST: readonly RegExp[] = [
  /^display_information\.name: ".{1,35}"$/u,
  /^display_information\.description: ".{1,140}"$/u,
  /^display_information\.background_color: "#[0-9a-fA-F]{3}(?:[0-9a-fA-F]{3})?"$/,
  /^features\.app_home\.(?:home_tab|messages_tab|messages_tab_read_only)_enabled: (?:true|false)$/,
  /^features\.bot_user\.(?:display_name: ".{1,80}"|always_online: (?:true|false))$/u,
  /^oauth_config\.scopes\.bot\.0: ".{1,50}"$/u,
  /^settings\.(?:org_deploy|socket_mode|token_rotation)_enabled: (?:true|false)$/,
];

/** Rows of the table below the heading of a class: its codes, and what is said of them. */
function rowsOf(failureClass: string): (readonly [string, string])[] {
  const [, section = ''] = TEXT.split(`\n### ${failureClass}\n`);
  const [table = ''] = section.split(/\n##/);
  return [...table.matchAll(/^\| (?<codes>`.*?`) +\| (?<said>.*?) *\|$/gm)].flatMap(({ groups }) => {
    const codes = [...(groups?.['codes'] ?? '').matchAll(/`([^`]+)`/g)];
    return codes.map(([, code = '']) => [code, groups?.['said'] ?? ''] as const);
  });
}

describe('The page about the Slack app', () => {
  const [manifest = ''] = blocksOf(TEXT, 'yaml');

  it('has a manifest of the shape that Slack takes', () => {
    const lines = leavesOf(parse(manifest)).map(([path, value]) => `${path}: ${JSON.stringify(value)}`);
    expect(lines.filter((line) => !MANIFEST.some((rule) => rule.test(line)))).to.deep.equal([]);
  });

  it('asks for the scopes that the calls of the code need, and for no other', () => {
    const { oauth_config: config } = parse(manifest) as { oauth_config: { scopes: object } };
    expect(config).to.deep.equal({ scopes: { bot: [...new Set(Object.values(SCOPES_OF).flat())] } });
    for (const method of Object.keys(SCOPES_OF)) expect(TEXT).to.include(`\`${method}\``);
  });

  it('shows what the check prints, and the tests of a channel that the app is in and of one that it is not', async () => {
    const slack = await startSlackStandIn({
      tokens: ['xoxb-1'],
      channels: [
        { id: 'C0123456789', name: '#bot-alerts' },
        { id: 'C0123456790', name: '#bot-log', isMember: false },
      ],
    });
    const [, channels = ''] = blocksOf(TEXT, 'yaml');
    const config = `${channels.replace('slack,', `slack, api_url: '${slack.apiUrl}',`)}
default_route: { notify: [{ slack: ['#bot-alerts', '#bot-log'] }] }`;
    const variables = { SLACK_BOT_TOKEN: 'xoxb-1' };
    const folder = tempFolder();
    try {
      const file = join(folder, 'botbell.yaml');
      writeFileSync(file, `${config}\nstore: { url: 'sqlite:${join(folder, 'botbell.db')}' }\n`);
      for (const { args, output } of sessionsIn(TEXT)) {
        const { code, stdout } = await runCommand([...args, '--config', file], { variables });
        const shown = stdout
          .replace(file, 'botbell.yaml')
          .replace(folder, '/srv/my-botbell/data')
          .replace('; `serve` makes a new ledger there', '')
          .replace(/ts \d+\.\d+/, 'ts 1795398033.000200');
        expect([shown, code]).to.deep.equal([output, output.startsWith('✕') ? 1 : 0]);
      }
    } finally {
      await slack.close();
    }
  });

  for (const failureClass of ['config', 'permanent']) {
    it(`explains each code of the class ${failureClass} as the program does`, () => {
      const explained = Object.entries(SLACK_MEANINGS)
        .filter(([code, meaning]) => meaning.class === failureClass && code !== '4xx')
        .map(([code, { words }]) => [code, `${words.en.charAt(0).toUpperCase()}${words.en.slice(1)}`]);
      expect(rowsOf(failureClass).toSorted()).to.deep.equal(explained.toSorted());
    });
  }
});
