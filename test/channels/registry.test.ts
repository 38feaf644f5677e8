import { expect } from 'chai';
import { parse } from 'yaml';
import { exampleOf } from '../../src/channels/about.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { secretsHidden } from '../../src/text/hide-secrets.ts';

type Settings = Readonly<Record<string, unknown>>;

/** A BOT's id, as it may stand in any setting that is no credential. */
const WORD = 'invoice-bot2';
const KEY = 'k3y-of-the-remote';

/** Of each chat, as it gives an example: with one credential. */
const SHOWN: Readonly<Record<string, Settings>> = Object.fromEntries(
  [...channelTypes.values()].flatMap(({ type, about }) => {
    if (about === undefined) return [];
    const filled = exampleOf(type, about, 'en')
      .channel.replace(/\$\{\w+_URL\}/, `https://${WORD}.example/${KEY}`)
      .replace(/\$\{\w+_SECRET\}/, `whsec_${'A'.repeat(32)}`)
      .replace(/\$\{\w+\}/, KEY)
      .replace('hooks: { ops', `hooks: { ${WORD}`);
    const { type: _type, ...settings } = (parse(filled) as Record<string, Settings>)[type] ?? {};
    return [[type, settings]];
  }),
);

/** The same, with that word wherever else there is room for it. */
const LOGIN = { client_id: WORD, client_secret: KEY, private_key: 'a private key', bot_id: WORD };
const MAIL = { smtp: `smtps://${WORD}:${KEY}@${WORD}.example`, from: `${WORD} <${WORD}@example.com>` };
const HOOK = { url: `https://${WORD}.example/${KEY}`, body: { component: WORD, list: [WORD] } };
const WORDY: Readonly<Record<string, Settings>> = {
  slack: { token: KEY, username: WORD },
  email: { ...MAIL, headers: { 'X-Env': WORD } },
  lineworks: { ...LOGIN, service_account: `${WORD}@example` },
  webhook: { hooks: { [WORD]: { ...HOOK, headers: { 'X-Env': WORD } } } },
};

const SETTINGS = { outbox: { as: 'slack' }, ...WORDY, ...SHOWN } as Readonly<Record<string, Settings>>;

describe('the registry of channels', () => {
  it('knows each channel by the type it calls itself', () => {
    expect([...channelTypes.keys()]).to.have.members(Object.keys(SETTINGS));
    for (const [name, { type }] of channelTypes) expect(type).to.equal(name);
  });

  it('lets a webhook whose rate is limited hold up no other', () => {
    for (const [name, { pace }] of channelTypes)
      // Its limits apply to a tenant.
      if ('hooks' in (SETTINGS[name] ?? {}) && name !== 'lineworks') expect(pace.channelMs, name).to.equal(0);
  });

  for (const [name, type] of channelTypes) {
    it(`holds of ${name}: strict settings, and which of their words are secrets`, () => {
      expect(type.settings.isValidSync(SETTINGS[name], { strict: true })).to.equal(true);
      const slip = { ...SETTINGS[name], typo: 1 };
      expect(type.settings.isValidSync(slip, { strict: true })).to.equal(false);
      for (const wordy of [WORDY[name], SHOWN[name]].filter(Boolean))
        expect(secretsHidden(type.secretsOf(wordy))(`${WORD} ${JSON.stringify(wordy)}`))
          .to.match(new RegExp(`^${WORD} .*\\[secret\\]`))
          .and.not.contain(KEY);
    });
  }
});
