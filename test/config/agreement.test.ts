import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { configJsonSchema } from '../../src/config/schema/json-schema.ts';
import { YamlSource } from '../../src/config/yaml-source.ts';
import { typesWithFake } from './fake-channels.ts';
import { sized } from '../support/test-size.ts';
import { loadText } from './load-fixture.ts';
import { problemInWords } from '../../src/config/problems.ts';

const isValid = new Ajv2020({ allowUnionTypes: true }).compile(configJsonSchema(typesWithFake));

/** Texts that each key takes; those made of them are mostly wrong. */
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  'receiver.listen': ['127.0.0.1:8080', '"[::1]:65535"', 'localhost:0'],
  'receiver.path': ['/', '/in/callbacks/', '/a.b'],
  'receiver.token': ['abcdefghijklmnop', '1234567890123456', '[abcdefghijklmnop, ""]'],
  'receiver.allow_from': ['[]', '[10.0.0.0/8]', '["2001:db8::/32", 203.0.113.7]'],
  'receiver.trust_proxy': ['true', 'False', '[10.0.0.0/8]'],
  'receiver.max_body': ['8mb', '512kB', '100000'],
  'receiver.max_nodes': ['1000', '20000'],
  'receiver.answer_within': ['100ms', '1500ms', '8s', '1m30s'],
  'receiver.answer_when': ['delivered', 'accepted'],
  'admin.listen': ['off', 'false', '127.0.0.1:8081'],
  'admin.url': ['', 'https://botbell.example.com', 'http://a:81/'],
  'admin.hosts': ['[botbell.internal]', '[7]'],
  'admin.password': ['12345678', 'correct horse battery'],
  'admin.metrics_token': ['', 'scrape/me+now=='],
  'store.url': ['sqlite:a.db', 'postgres://u:p@db/b', 'postgres://u@localhost/b?host=/run/postgresql'],
  'store.keep': ['30d', '1d12h'],
  'store.max_size': ['2gb', '1mb', '1048576'],
  'delivery.attempts_per_request': ['2', '100'],
  'delivery.alerts': ['[ops]', '[{ chat: "#b" }, ops]', '[]'],
  'display.timezone': ['Asia/Tokyo', 'utc', 'JST', 'Etc/GMT+9'],
  'display.language': ['en', 'ja'],
  'display.links.job': ['"https://example.com/{{ job_id }}"'],
  'heartbeat.url': ['', 'http://watch.internal/up'],
  'heartbeat.every': ['1m', '1h'],
  proxy: ['off', 'false', '', 'http://proxy.example.com:3128'],
  'default_route.on': ['[error, recovered]'],
  'default_route.when': ['output.count == 0'],
  'default_route.after_failures': ['3'],
  'default_route.repeat': ['every', 'changes', '1h'],
  'default_route.template_set': ['en'],
  'default_route.overdue': ['30m'],
  'default_route.mute': ['[{ from: "22:00", to: 7:00 }]', '[{ dates: [2026-12-29], calendar: office }]'],
  routes: [
    '[{ bot_id: [/^x\\d/i, "a*", 123], notify: [] }]',
    '[{ bot_id: /x/, notify: [ops], expect: { cron: "0 9 * * *", grace: 5m } }]',
    '[{ bot_id: b, name: Nightly, notify: [ops], then: [{ after: 10m, unless: delivered, notify: [ops] }] }]',
  ],
  reports: ['[{ every: month, at: 9:00, bots: "*", notify: [ops] }]'],
  'budget.hours': ['100'],
  'budget.from_day': ['28'],
  'calendars.office.except': ['[2026-12-29..2027-01-03]'],
  'calendars.office.until': ['2027-12-31'],
};

const REFUSED: readonly (readonly [key: string, text: string])[] = [
  ['receiver.answer_within', '1.5s'],
  ['receiver.answer_within', '30'],
  ['receiver.max_body', '2 GB'],
  ['receiver.max_body', '0'],
  ...[':8080', 'localhost', 'localhost:65536', '[localhost]:80', 'a:+1'].map(
    (text) => ['receiver.listen', JSON.stringify(text)] as const,
  ),
  ['display.timezone', 'BST'],
  ['default_route.on', '[error, error]'],
];

/** What no pattern says: bounds, days, zones, addresses and URLs that there are, what is named elsewhere, and how parts go together. */
const BEYOND =
  /must be (?:a duration from|a size from|a whole number from|a day that there is|an address or a CIDR|an IANA time zone|an http:\/\/ or|sqlite:PATH|the URL of)|there is no|is a duplicate|valid regular expression|cron expression|has an option|cannot be read|keeps nothing|quotes around|no path|has the port|is open|does not begin with #/;

const BASE = {
  channels: { chat: { type: 'chat', token: 'A' } },
  calendars: { office: { days: ['mon'] } },
  groups: { ops: [{ chat: '#a' }] },
  budget: { hours: 9, notify: ['ops'] },
  default_route: { notify: ['ops'] },
};

/** @param key `section.key` @param value as YAML has it */
function configWith(key: string, value: string): string {
  const [section = '', ...inner] = key.split('.');
  const base: Readonly<Record<string, object>> = BASE;
  const set = inner.reduceRight<unknown>((rest, name) => ({ [name]: rest }), '@value');
  const merged = inner.length === 0 ? set : { ...base[section], ...(set as object) };
  return JSON.stringify({ ...BASE, [section]: merged }).replace('"@value"', () => value);
}

const SIGNS = ['ms', '00', ...'0159az.:/-_ ~*#@%{}é　'.split('')];

const slipped = fc
  .record({
    key: fc.constantFrom(...Object.keys(TAKEN)),
    which: fc.nat(9),
    slips: fc.array(fc.tuple(fc.nat(40), fc.nat(2), fc.constantFrom(...SIGNS)), { maxLength: 2 }),
    isQuoted: fc.boolean(),
  })
  .map(({ key, which, slips, isQuoted }) => {
    const texts = TAKEN[key] ?? [];
    let text = texts[which % texts.length] ?? '';
    for (const [at, left, put] of slips) {
      const from = at % (text.length + 1);
      text = text.slice(0, from) + put + text.slice(from + left);
    }
    return { key, text: isQuoted ? JSON.stringify(text) : text };
  });

/** How a number is written, no schema sees. */
const isOtherNumber = (text: string) => !Number.isNaN(Number(text)) && !/^(?:0|[1-9]\d*)$/.test(text);

describe('The JSON Schema and the check of a config', () => {
  for (const [key, texts] of Object.entries(TAKEN))
    it(`take what ${key} may be`, () => {
      const refused = texts.filter((text) => {
        const config = configWith(key, text === '' ? '""' : text);
        return loadText(config).config === undefined || !isValid(new YamlSource('', config).data);
      });
      expect(refused).to.deep.equal(key === 'display.timezone' ? ['JST'] : []);
    });

  for (const [key, text] of REFUSED)
    it(`refuse ${key}: ${text}`, () => {
      const config = configWith(key, text);
      expect(loadText(config).config).to.equal(undefined);
      expect(isValid(new YamlSource('', config).data)).to.equal(false);
    });

  it('agree on each text, but for what no pattern says', () => {
    fc.assert(
      fc.property(slipped, ({ key, text }) => {
        const config = configWith(key, text);
        const { data, problems } = new YamlSource('', config);
        if (problems.length > 0 || isOtherNumber(text)) return;
        const wrong = loadText(config)
          .problems.filter(({ severity }) => severity === 'error')
          .map((each) => problemInWords(each, 'en'));
        if (isValid(data)) expect(wrong.filter((each) => !BEYOND.test(each))).to.deep.equal([]);
        else expect(wrong, 'refused by the schema alone').not.to.deep.equal([]);
      }),
      { numRuns: sized(150, 20_000) },
    );
  });
});
