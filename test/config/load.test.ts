/** Good configs, value by value; faulty ones have their own files. */
import { expect } from 'chai';
import { number } from 'yup';
import type { ChannelType } from '../../src/channels/channel.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import type { Config } from '../../src/config/config.ts';
import { formatProblem } from '../../src/config/problems.ts';
import { NO_RULES } from '../../src/signal/rules.ts';
import { chatType, formatWith } from './fake-channels.ts';
import { type Given, loadText, toldOf } from './load-fixture.ts';

const MINIMAL = `
channels:
  chat: { type: chat, token: xoxb-1 }
default_route:
  notify: [{ chat: "#ops" }]
`;

function configOf(text: string, given: Given = {}): Config {
  const { config, problems } = loadText(text, given);
  expect(problems.map(formatProblem)).to.deep.equal([]);
  if (!config) throw new Error('no config, and no problem either');
  return config;
}

describe('A config that names only a channel and a default route', () => {
  const config = configOf(MINIMAL);

  it('has the documented defaults everywhere else', () => {
    expect(config.receiver).to.deep.equal({
      listen: { host: '127.0.0.1', port: 8080 },
      path: '/callbacks',
      tokens: [],
      allowFrom: [],
      trustProxy: false,
      maxBodyBytes: 8 * 1024 * 1024,
      maxNodes: 500_000,
      answerWithinMs: 8_000,
      answerWhen: 'delivered',
      maxInFlight: 256,
    });
    expect(config.admin).to.deep.equal({
      listen: { host: '127.0.0.1', port: 8081 },
      password: undefined,
      hosts: [],
      metricsToken: undefined,
      trustProxy: false,
    });
    expect(config.store).to.deep.equal({
      url: 'sqlite:data/botbell.db',
      keepMs: 30 * 86_400_000,
      maxSizeBytes: 2 * 1024 ** 3,
    });
    expect(config.delivery).to.deep.equal({
      timeoutMs: 5_000,
      attemptsPerRequest: 2,
      takeOverAfterMs: 120_000,
      giveUpAfterMs: 86_400_000,
      permanentAttempts: 2,
      alerts: [],
    });
    expect(config.display).to.deep.equal({ timezone: 'UTC', language: 'en', links: {} });
    expect(config.heartbeat).to.equal(undefined);
    expect(config.templates).to.equal(undefined);
  });

  it('tells all three statuses to whom it names', () => {
    expect(config.routes).to.deep.equal([]);
    expect(config.defaultRoute).to.deep.equal({
      name: 'default_route',
      botIds: [],
      on: ['succeeded', 'error', 'executing'],
      notify: [
        { destination: 'chat:#ops', channel: 'chat', address: '#ops', options: {}, perJob: 'message' },
      ],
      rules: NO_RULES,
      groups: [],
      templateSet: undefined,
    });
  });

  it('has the channel with its own defaults', () => {
    const chat = { name: 'chat', type: 'chat', settings: { token: 'xoxb-1', limit: 10 }, burst: undefined };
    expect([...config.channels.values()]).to.deep.equal([chat]);
  });
});

describe('A config that holds back', () => {
  const config = configOf(`
channels:
  chat: { type: chat, token: xoxb-1, burst: { max: 10, per: 1m } }
groups:
  ops:
    notify: [{ chat: "#ops", per_job: thread }]
    digest: { at: "9:00", days: [fri, mon] }
  all: { notify: [{ chat: "#all" }], digest: {} }
routes:
  - bot_id: daily
    on: [recovered, error]
    when: output.count == 0
    after_failures: 3
    repeat: 1h
    mute:
      - { days: [sat, sun] }
      - { from: "22:00", to: "07:00", except: [error] }
      - { dates: [2026-12-29], to: "0:00" }
    overdue: 30m
    expect: { every: 24h, grace: 1h }
    notify: [ops, all]
default_route: { repeat: changes, notify: [all] }
`);

  it('has the rules of its routes in base units', () => {
    expect(config.routes[0]?.on).to.deep.equal(['error', 'recovered']);
    expect(config.routes[0]?.groups).to.deep.equal(['ops', 'all']);
    expect(config.routes[0]?.rules).to.deep.equal({
      when: 'output.count == 0',
      afterFailures: 3,
      repeat: 3_600_000,
      mute: [
        { days: ['sat', 'sun'], dates: undefined, from: undefined, to: undefined, except: undefined },
        { days: undefined, dates: undefined, from: 1320, to: 420, except: ['error'] },
        { days: undefined, dates: ['2026-12-29'], from: undefined, to: 1440, except: undefined },
      ],
      overdueMs: 1_800_000,
      expect: { everyMs: 86_400_000, graceMs: 3_600_000 },
    });
    expect(config.defaultRoute?.rules).to.deep.equal({ ...NO_RULES, repeat: 'changes' });
  });

  it('has what its channels, destinations and groups ask for', () => {
    expect(config.channels.get('chat')?.burst).to.deep.equal({ max: 10, perMs: 60_000 });
    expect(config.routes[0]?.notify.map(({ perJob }) => perJob)).to.deep.equal(['thread', 'message']);
    const digests = config.digests.map(({ group, at, days, notify }) => [
      group,
      at,
      days.length,
      notify[0]?.destination,
    ]);
    expect(digests).to.have.deep.members([
      ['ops', 540, 2, 'chat:#ops'],
      ['all', 540, 7, 'chat:#all'],
    ]);
  });

  it('is told where a condition is wrong', () => {
    const text = MINIMAL.replace('notify', 'when: a == 0\n  notify');
    expect(toldOf(text, { conditionFault: (condition) => `no ${condition}` })).to.deep.equal([
      'botbell.yaml:5:3: default_route.when: no a == 0',
    ]);
  });
});

describe('A config that says everything', () => {
  const config = configOf(`
receiver:
  listen: "[::1]:0"
  path: /in/callbacks/
  token: [abcdefghijklmnop, "\${OLD:-}"]
  allow_from: [10.0.0.0/8, 203.0.113.7, "2001:db8::1"]
  trust_proxy: true
  max_body: 512kb
  max_nodes: 20000
  answer_within: 1500ms
  answer_when: accepted
  max_in_flight: 2
admin: { listen: off, password: secret }
store: { url: "postgres://bell:p%40ss@db/bell", keep: 1d, max_size: 2048mb }
delivery: { timeout: 1s, attempts_per_request: 1, take_over_after: 1m, give_up_after: 1h30m, permanent_attempts: 3, alerts: [ops, owners] }
display: { timezone: Asia/Tokyo, language: ja, links: { job: "https://example.com/{{ job_id }}", file: "http://localhost:1/{{ ref }}" } }
templates: ./templates
channels:
  chat: { type: chat, token: xoxb-1, level: normal, limit: 3 }
groups:
  ops: [{ chat: ["#A", "#b"], mention: "@here" }]
  owners: [{ chat: "#a", mention: "@owner" }]
routes:
  - bot_id: [get_items, "nightly-*", /^x\\d+$/i]
    on: [executing, error]
    notify: [owners, ops, { chat: ["#c", "#d"], retries: 2 }]
    template_set: short
  - { bot_id: b, name: Nightly 夜間, notify: [] }
default_route: { notify: [] }
`);

  it('is read into base units, with groups expanded and the first mention of an address winning', () => {
    const told = (address: string, options: object) => ({
      destination: `chat:${address}`,
      channel: 'chat',
      address,
      options,
      perJob: 'message',
    });
    expect([config.routes[1]?.name, config.routes[1]?.notify]).to.deep.equal(['Nightly 夜間', []]);
    expect(config.defaultRoute?.notify).to.deep.equal([]);
    expect(config.routes.slice(0, 1)).to.deep.equal([
      {
        name: 'routes[0]',
        botIds: ['get_items', 'nightly-*', '/^x\\d+$/i'],
        on: ['error', 'executing'],
        rules: NO_RULES,
        notify: [
          told('#a', { mention: '@owner' }),
          told('#b', { mention: '@here' }),
          told('#c', { retries: 2 }),
          told('#d', { retries: 2 }),
        ],
        groups: ['owners', 'ops'],
        templateSet: 'short',
      },
    ]);
    const alerted = config.delivery.alerts.map(({ destination, options }) => [
      destination,
      options['mention'],
    ]);
    expect(alerted).to.deep.equal([
      ['chat:#a', '@here'],
      ['chat:#b', '@here'],
    ]);
  });

  it('has its receiver, store and display as written, in canonical form', () => {
    expect(config.receiver).to.deep.equal({
      listen: { host: '::1', port: 0 },
      path: '/in/callbacks',
      tokens: ['abcdefghijklmnop'],
      allowFrom: ['10.0.0.0/8', '203.0.113.7', '2001:db8::1'],
      trustProxy: true,
      maxBodyBytes: 512 * 1024,
      maxNodes: 20_000,
      answerWithinMs: 1_500,
      answerWhen: 'accepted',
      maxInFlight: 2,
    });
    expect(config.admin).to.equal(undefined);
    expect(config.store).to.deep.equal({
      url: 'postgres://bell:p%40ss@db/bell',
      keepMs: 86_400_000,
      maxSizeBytes: 2 * 1024 ** 3,
    });
    expect(config.delivery.giveUpAfterMs).to.equal(5_400_000);
    expect(config.display.links).to.deep.equal({
      job: 'https://example.com/{{ job_id }}',
      file: 'http://localhost:1/{{ ref }}',
    });
    expect(config.templates).to.equal('./templates');
  });
});

describe('What several parts of a config share', () => {
  it('is merged by <<, and kept under a key that begins with x-', () => {
    const { routes } = configOf(`
x-defaults: &defaults
  on: [error]
channels:
  chat: { type: chat, token: xoxb-1 }
routes:
  - bot_id: a
    <<: *defaults
    notify: &team [{ chat: "#a" }]
  - bot_id: b
    <<: *defaults
    on: [succeeded]
    notify: *team
`);
    expect(routes.map(({ on, notify }) => [on, notify.length])).to.deep.equal([
      [['error'], 1],
      [['succeeded'], 1],
    ]);
  });
});

describe('Values from variables and files', () => {
  it('stand for numbers and booleans, too', () => {
    const text = `
receiver: { max_in_flight: "\${MAX}", trust_proxy: "\${PROXY:-true}" }
channels: { chat: { type: chat, token: "\${file:/run/secrets/chat}", limit: "\${LIMIT}" } }
default_route: { notify: [{ chat: "#ops", retries: "\${LIMIT}" }] }
`;
    const given = { variables: { MAX: '12', LIMIT: '3' }, files: { '/run/secrets/chat': 'xoxb-7\n' } };
    const config = configOf(text, given);
    expect(config.receiver.maxInFlight).to.equal(12);
    expect(config.receiver.trustProxy).to.equal(true);
    expect(config.channels.get('chat')?.settings).to.deep.equal({ token: 'xoxb-7', limit: 3 });
    expect(config.defaultRoute?.notify[0]?.options).to.deep.equal({ retries: 3 });
  });

  it('stand for the networks of trusted proxies', () => {
    const text = `receiver: { trust_proxy: [10.1.0.0/16, "\${PROXY}", "2001:db8::7"] }\n${MINIMAL}`;
    const { receiver } = configOf(text, { variables: { PROXY: '192.0.2.9' } });
    expect(receiver.trustProxy).to.deep.equal(['10.1.0.0/16', '192.0.2.9', '2001:db8::7']);
  });

  it('may be addresses that are not set where the config is only checked', () => {
    const text = MINIMAL.replace('"#ops"', '["${OWNER}", "#ops"]');
    const { config, problems } = loadText(text, { withoutSecrets: true });
    expect(problems).to.deep.equal([]);
    expect(config?.defaultRoute?.notify.map(({ destination }) => destination)).to.deep.equal(['chat:#ops']);
  });
});

describe('The secrets of a config', () => {
  const secretsOf = (text: string, variables: Readonly<Record<string, string>> = {}) =>
    configOf(`${text}\n${MINIMAL}`, { variables }).secrets;

  it('are its tokens and passwords, wherever they come from', () => {
    const text = `
receiver: { token: "\${PREFIX}-0123456789abcdef" }
admin: { password: "\${ADMIN}", metrics_token: "\${METRICS}" }
store: { url: "postgres://bell:\${DB}@\${HOST}/bell" }`;
    const variables = {
      PREFIX: 'pre',
      ADMIN: 'swordfish',
      METRICS: 'scrape/me+now==',
      DB: 'p%40ssword',
      HOST: 'db.internal',
    };
    expect(secretsOf(text, variables)).to.have.members([
      'pre-0123456789abcdef',
      'swordfish',
      'scrape/me+now==',
      'p%40ssword',
      'p@ssword',
    ]);
  });

  it('are none of less than eight characters, which stand in other texts, too', () => {
    expect(
      secretsOf('store: { url: "postgres://bell:30@db/bell" }\nadmin: { password: "1234567" }'),
    ).to.deep.equal([]);
  });

  it('include a password that is no valid percent-encoding as it stands', () => {
    expect(secretsOf('store: { url: "postgres://bell:100%25%zz@db/bell" }')).to.include('100%25%zz');
  });

  it('are never shown in part, where a sign in them ends the login of a URL: what to do is said instead', () => {
    for (const url of [
      'postgres://bot:pa/s3cret@db/x',
      'postgres://bot:1#s3cret@db/x',
      'postgres://b:p@s3cret@db/x',
    ]) {
      const said = toldOf(`store: { url: "${url}" }\n${MINIMAL}`).join();
      expect(said, url).to.contain('percent-encode / : @ ? # % in the user name and password');
      expect(said).not.to.contain('s3cret');
    }
  });

  it('include the URL of the heartbeat, and the key in it', () => {
    const secrets = secretsOf('heartbeat: { url: "https://hc-ping.com/${CHECK}?rid=1" }', {
      CHECK: '5e0a-4f21',
    });
    expect(secrets).to.have.members(['https://hc-ping.com/5e0a-4f21?rid=1', '5e0a-4f21']);
    const short = secretsOf('heartbeat: { url: "http://watch.internal/up" }');
    expect(short).to.deep.equal(['http://watch.internal/up']);
  });
});

describe('A listener', () => {
  it('may be reachable from elsewhere without a word where a password, a token or addresses are asked for', () => {
    for (const guard of [
      'admin: { listen: 0.0.0.0:8081, password: x }',
      'receiver: { listen: 0.0.0.0:8080, token: abcdefghijklmnop }',
      'receiver: { listen: 0.0.0.0:8080, allow_from: [10.0.0.0/8] }',
    ])
      configOf(`${guard}\n${MINIMAL}`);
    expect(toldOf(`admin: { listen: 0.0.0.0:8081, password: "" }\n${MINIMAL}`)).to.have.length(1);
  });
});

describe('The options of a destination', () => {
  const types = new Map<string, ChannelType>([
    ['chat', chatType],
    ['room', { ...chatType, type: 'room', formatOf: () => formatWith({ mention: number().strict() }) }],
  ]);
  const text = (mentions: string) => `
channels: { chat: { type: chat, token: xoxb-1 }, room: { type: room, token: xoxb-2 } }
default_route: { notify: [${mentions}] }
`;
  const told = (mentions: string) => toldOf(text(mentions), { channelTypes: types });

  it('are checked by its own channel, whatever another has of the same name', () => {
    expect(told('{ chat: "#a", mention: "@here" }, { room: "#a", mention: 3 }')).to.deep.equal([]);
    expect(told('{ chat: "#a", mention: 3 }, { room: "#a", mention: "@here" }')).to.deep.equal([
      'botbell.yaml:3:41: default_route.notify[0].mention is wrong: "3" does not begin with @',
      'botbell.yaml:3:69: default_route.notify[1].mention must be a number',
    ]);
  });
});

describe('An address of digits alone', () => {
  it('is read as it is written, also beyond what a double holds', () => {
    const text = `
channels: { discord: { type: discord, hooks: { ops: 'https://discord.com/api/webhooks/1/x' } }, cw: { type: chatwork, token: abcdefgh } }
default_route: { notify: [{ cw: 123456789012345679 }, { cw: [7, '8'], mention_on_error: 14 }] }
`;
    const { config } = loadText(text, { channelTypes });
    expect(config?.defaultRoute?.notify.map(({ destination }) => destination)).to.deep.equal([
      'cw:123456789012345679',
      'cw:7',
      'cw:8',
    ]);
  });
});

describe('A template set', () => {
  it('may be any folder of the user’s own, or a built-in one', () => {
    const text = `templates: ./templates\n${MINIMAL}  template_set: SET`;
    const load = (set: string) => loadText(text.replace('SET', set));
    expect(load('short').config?.defaultRoute?.templateSet).to.equal('short');
    expect(load('ja').config?.templates).to.equal('./templates');
    expect(load('shor').problems.map(formatProblem)).to.deep.equal([
      'botbell.yaml:7:3: default_route.template_set: there is no template set "shor"; did you mean "short"?',
    ]);
  });
});

describe("A webhook's URL where its name belongs", () => {
  it('is shown by no problem', () => {
    const url = 'https://hooks.slack.com/services/T1/B1/KEY';
    const problemsOf = (hooks: string, address: string) =>
      toldOf(
        `channels: { sw: { type: slack_webhook, hooks: { ${hooks} } } }\ndefault_route: { notify: [{ sw: "${address}" }] }`,
        { channelTypes },
      );
    const problems = [
      ...problemsOf(`${url}: ops`, 'ops'),
      ...problemsOf(`ops: ${url}`, url),
      ...problemsOf(`ops: ${url}`, url.replace('https://', '')),
    ];
    expect(problems).to.have.length(4);
    expect(problems.join()).not.to.contain('KEY');
  });
});
