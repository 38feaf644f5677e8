/** The config as people may see it: whole, with its defaults, and without any secret. */
import { expect } from 'chai';
import { parse } from 'yaml';
import { channelTypes } from '../../src/channels/registry.ts';
import { loadConfig } from '../../src/config/load.ts';

const FILE = `
receiver: { token: ['\${CALLBACK_TOKEN}', a-second-token-for-posts] }
admin: { listen: '0.0.0.0:8081', password: '\${ADMIN_PASSWORD}' }
store: { url: 'postgres://botbell:s%40ve@db.example.com/botbell' }
display: { timezone: '\${TZ}' }
channels:
  slack: { type: slack, token: '\${SLACK_TOKEN}' }
  email: { type: email, smtp: 'smtps://bot:pa%3Ass@mail.example.com:465/?pool=true', from: a@example.com }
groups: { operators: [{ slack: '#ops' }] }
delivery: { alerts: [operators] }
routes: [{ bot_id: a, on: [error], notify: [operators, { email: b@example.com }] }]
`;
const VARIABLES = {
  CALLBACK_TOKEN: 'the-first-token-for-posts',
  ADMIN_PASSWORD: 'correct horse battery',
  SLACK_TOKEN: 'xoxb-1-2-3',
  TZ: 'Asia/Tokyo',
};

function shown(file: string): string {
  const { text, problems } = loadConfig('botbell.yaml', {
    variables: VARIABLES,
    channelTypes,
    builtInTemplates: 'built-in',
    readFile: () => file,
    readFolders: () => ['en', 'ja'],
  });
  if (text === undefined) throw new Error(JSON.stringify(problems));
  return text;
}

describe('the config as it is shown', () => {
  it('shows none of its secrets, nor a part of one, and what stands around them', () => {
    const text = shown(FILE);
    for (const secret of [
      ...Object.values(VARIABLES).slice(0, 3),
      'a-second-token-for-posts',
      's%40ve',
      's@ve',
      'pa%3Ass',
      'pa:ss',
    ]) {
      expect(text).not.to.include(secret);
    }
    const read = parse(text) as Record<string, Record<string, unknown>>;
    expect(read['receiver']?.['token']).to.deep.equal(['***', '***']);
    expect(read['admin']?.['password']).to.equal('***');
    expect(read['store']?.['url']).to.equal('postgres://botbell:***@db.example.com/botbell');
    expect(read['channels']).to.deep.equal({
      slack: { type: 'slack', token: '***' },
      email: {
        type: 'email',
        smtp: 'smtps://bot:***@mail.example.com:465/?pool=true',
        from: 'a@example.com',
      },
    });
  });

  it('shows what came from variables and is no secret, and what the file leaves to the defaults', () => {
    const read = parse(shown(FILE)) as Record<string, Record<string, unknown>>;
    expect(read['display']).to.deep.include({ timezone: 'Asia/Tokyo', language: 'en' });
    expect(Object.keys(read)).to.deep.equal([
      'receiver',
      'admin',
      'store',
      'delivery',
      'display',
      'heartbeat',
      'channels',
      'groups',
      'routes',
    ]);
    expect(Object.keys(read['receiver'] ?? {}).slice(0, 3)).to.deep.equal(['listen', 'path', 'token']);
    expect(read['receiver']).to.include({ listen: '127.0.0.1:8080', answer_within: '8s' });
    expect(read['delivery']).to.deep.include({ give_up_after: '24h', alerts: ['operators'] });
    expect(read['routes']).to.deep.equal([
      { bot_id: 'a', on: ['error'], notify: ['operators', { email: 'b@example.com' }] },
    ]);
  });
});
