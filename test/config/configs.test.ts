/** What configs are told, and what they are read as: each of test/fixtures/configs, beside which both stand. */
import { expect } from 'chai';
import type { Config } from '../../src/config/config.ts';
import { formatProblem, problemLines } from '../../src/config/problems.ts';
import { fixtures, loadFixture, loadText } from './load-fixture.ts';

function plain(config: Config | undefined): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(config ?? {}, (_key, value: unknown) =>
    value instanceof Map ? (Object.fromEntries(value) as unknown) : value,
  );
  return JSON.parse(text) as Record<string, unknown>;
}

describe('A config', () => {
  for (const { name, file, text, told, isRefused, read } of fixtures()) {
    const does = isRefused ? 'is refused with everything that is wrong, and where' : 'is read as it is meant';
    it(`${does}: ${name}`, () => {
      for (const written of [text, text.replaceAll('\n', '\r\n')]) {
        const { config, problems } = loadFixture({ file, text: written });
        expect(problemLines(problems)).to.deep.equal(told.map((line) => `${file}:${line}`));
        expect(config === undefined).to.equal(isRefused);
        const found = plain(config);
        for (const [key, value] of Object.entries(read)) expect(found[key] ?? null, key).to.deep.equal(value);
      }
    });
  }

  it('is told all this in Japanese, too', () => {
    const english = fixtures()
      .flatMap((fixture) => loadFixture(fixture).problems)
      // A channel of the tests speaks English alone.
      .filter(({ fault }) => !/"said"/.test(JSON.stringify(fault)))
      .map((problem) => formatProblem(problem, 'ja'))
      .filter((line) => !/[ぁ-ん]|[ァ-ヶ一-龠]/u.test(line));
    expect(english).to.deep.equal([]);
  });

  it('is told what its sound routes cannot mean, and what its sections cannot together, whatever else is wrong', () => {
    const text = `receiver: { listen: 0.0.0.0:80 }
heartbeat: { every: 1ms }
channels: { chat: { type: chat, token: t } }
routes:
  - { bot_id: a, on: [eror], notify: [] }
  - { bot_id: b, notify: [{ chat: '#b' }], mute: [{ except: [error, executing] }] }
`;
    expect(problemLines(loadText(text).problems)).to.deep.equal([
      'botbell.yaml:1:13: receiver.listen is open to everybody: set receiver.token or receiver.allow_from, or listen on 127.0.0.1',
      'botbell.yaml:2:14: heartbeat.every must be a duration from 1s to 1h, such as 30s or 5m',
      'botbell.yaml:5:23: routes[0].on[0] must be "succeeded", "error", "executing" or "recovered"; did you mean "error"?',
      'botbell.yaml:6:44: warning: routes[1].mute covers all times: succeeded would be held for ever; leave it out of on instead',
    ]);
  });

  it('is told of addresses and options that a channel does not take, whatever is wrong with its settings', () => {
    const text = `channels:
  chat: { type: chat }
  hooks: { type: teams, hooks: { ops: x } }
  posed: { type: outbox, as: chatt }
  line: { type: lineworks, client_id: a }
groups: { ops: [{ chat: ops, mention: '@a' }, { chat: '#a', mention: a }] }
routes: [{ bot_id: a, notify: [{ hooks: other }, { hooks: '', per_job: thread }, { posed: '#a b' }, { line: ops, mention_on_error: all }] }]
`;
    expect(loadText(text).problems.map(({ path }) => path)).to.deep.equal([
      'channels.chat.token',
      'channels.hooks.hooks.ops',
      'channels.posed.as',
      'channels.line',
      'groups.ops[0].chat',
      'groups.ops[1].mention',
      'routes[0].notify[1].hooks',
      'routes[0].notify[1].per_job',
    ]);
  });

  it('is told what the sound keys of a section cannot together, and nothing that a wrong one decides', () => {
    const rest = `channels: { chat: { type: chat, token: t } }
routes: [{ bot_id: a, notify: [{ chat: '#a' }], then: [{ after: 1m, notify: [{ chat: '#b' }] }] }]`;
    const page = `admin: { url: 'https://a.example', password: "${'p'.repeat(16)}" }`;
    const told: readonly (readonly [sections: string, ...paths: readonly string[]])[] = [
      [`${page}\nreceiver: { listen: 0.0.0.0:80, max_body: x }`, 'receiver.listen', 'receiver.max_body'],
      [`${page}\nreceiver: { listen: 0.0.0.0:80, token: a b }`, 'receiver.token'],
      [`${page}\nreceiver: { listen: 0.0.0.0:80, allow_from: [x] }`, 'receiver.allow_from[0]'],
      [`${page}\ndelivery: { timeout: x, give_up_after: 1m }`, 'delivery.timeout', 'delivery.give_up_after'],
      [`${page}\ndelivery: { give_up_after: 1m, take_over_after: x }`, 'delivery.take_over_after'],
      [`${page}\ndelivery: { give_up_after: x, take_over_after: 2d }`, 'delivery.give_up_after'],
      [`${page}\ndelivery: { timeout: x, alerts: [nobody] }`, 'delivery.timeout', 'delivery.alerts[0]'],
      ['admin: { listen: 0.0.0.0:8081, trust_proxy: x }', 'admin.listen', 'admin.trust_proxy'],
      ['admin: { listen: 0.0.0.0:8081, password: [] }', 'admin.password'],
      ['admin: { listen: x, trust_proxy: true }', 'admin.listen'],
      ['admin: { listen: 127.0.0.1:8080, url: x }\nreceiver: { listen: x }', 'admin.url', 'receiver.listen'],
      ['receiver: { listen: 127.0.0.1:8081 }\nadmin: 0', 'admin'],
      ['display: { timezone: x }', 'display.timezone', 'routes[0].then'],
    ];
    for (const [sections, ...paths] of told) {
      const { problems } = loadText(`${sections}\n${rest}\n`);
      const found = problems.map(({ path }) => path);
      expect(found, sections).to.deep.equal(paths);
    }
  });

  it('is told of a hundred mistakes, and how many more there are', () => {
    const lastOf = (count: number) => {
      const keys = Array.from({ length: count }, (_, index) => `no${index}: 1\n`).join('');
      const text = `channels: { chat: { type: chat, token: t } }\ndefault_route: { notify: [{ chat: '#a' }] }\n${keys}`;
      return problemLines(loadText(text).problems).slice(100);
    };
    expect([100, 101, 1102].map(lastOf)).to.deep.equal([
      [],
      ['botbell.yaml:102:1: and 1 more problem, which is not shown'],
      ['botbell.yaml:102:1: and 1,002 more problems, which are not shown'],
    ]);
  });

  it('is told thirty of the names that there are, in place of one that is like none', () => {
    const groups = Array.from({ length: 31 }, (_, index) => `g${index}: [{ chat: '#a' }]`).join(', ');
    const text = `channels: { chat: { type: chat, token: t } }\ngroups: { ${groups} }\ndefault_route: { notify: [nobody] }\n`;
    const [line = ''] = problemLines(loadText(text).problems);
    expect([line.split(', ').length, line.endsWith(', g29, …')], line).to.deep.equal([31, true]);
  });

  it('is told of no hold that a calendar which is not read would make', () => {
    const { problems } = loadText(`calendars: { office: { days: [mon], until: 2026-02-30 } }
channels: { chat: { type: chat, token: t } }
routes: [{ bot_id: a, notify: [{ chat: '#a' }], mute: [{ calendar: office }] }]
`);
    expect(problemLines(problems)).to.deep.equal([
      'botbell.yaml:1:37: calendars.office.until must be a day that there is, such as 2026-12-29',
    ]);
  });

  it('says its language, whatever is wrong with it', () => {
    const languageOf = (text: string) => loadText(text).language;
    for (const wrong of [
      'timezone: x, language: ja }',
      'timezone: x, language: "${LANGUAGE_OF_IT:-ja}" }',
      'language: ja }\nroutes: [',
      "language: 'ja' }\n\t- x",
    ])
      expect(languageOf(`display: { ${wrong}`), wrong).to.equal('ja');
    for (const text of ['routes: [', 'display: { language: fr }', '5'])
      expect(languageOf(text), text).to.equal(undefined);
  });

  it('has no secret of its shown, whatever is wrong, be it in the file or from elsewhere', () => {
    const said = fixtures().flatMap((fixture) => loadFixture(fixture).problems);
    expect(problemLines(said).join('\n')).not.to.include('hunter2');
  });

  it('is told, where its variables are set elsewhere, of all that does not depend on them', () => {
    const text =
      'channels: { chat: { type: chat, key: "${UNSET}" } }\ndefault_route: { on: [eror], notify: [{ chat: ops }, { chat: "${OPEN" }] }\n';
    const { problems, missing } = loadText(text, { withoutSecrets: true });
    expect(problemLines(problems)).to.deep.equal([
      'botbell.yaml:1:33: warning: channels.chat.key is deprecated: it is called channels.chat.token now',
      'botbell.yaml:2:23: default_route.on[0] must be "succeeded", "error", "executing" or "recovered"; did you mean "error"?',
      'botbell.yaml:2:41: default_route.notify[0].chat: "ops" does not begin with #',
      'botbell.yaml:2:56: a ${ is not closed by }: write $${ for a literal ${',
    ]);
    expect(missing).to.deep.equal([{ reference: 'UNSET', section: 'channels' }]);
  });

  it('may have a reference that is not set here wherever a value is read into something else', () => {
    const text = `channels:
  box: { type: outbox, as: "\${A}" }
  ops: { type: teams, hooks: "\${B}" }
  erp: { type: webhook, hooks: { erp: { url: "https://erp.example", secret: ["\${C}", "whsec_${'A'.repeat(32)}"] } } }
calendars: { office: { except: ["\${D}", { file: "\${E}" }] } }
templates: "\${F}"
routes:
  - { bot_id: a, notify: "\${G}", mute: [{ calendar: { outside: "\${H}" }, from: "22:00" }], expect: { cron: "\${I}" }, template_set: own }
reports: [{ every: "\${J}", notify: [{ ops: ops }] }]
`;
    const names = 'A B C D E F G H I J'.split(' ');
    const { problems, missing = [] } = loadText(text, { withoutSecrets: true });
    expect([problems, missing.map(({ reference }) => reference)]).to.deep.equal([[], names]);
    const unset = loadText(text).problems.map(({ fault }) => fault.values['name']);
    expect(unset).to.deep.equal(names);
  });
});
