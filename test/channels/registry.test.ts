import { expect } from 'chai';
import { channelTypes } from '../../src/channels/registry.ts';
import { secretsHidden } from '../../src/text/hide-secrets.ts';
import { CHANNEL_SETTINGS, type Settings, settingsOfChats } from '../support/channel-settings.ts';

/** A BOT's id, as it may stand in any setting that is no credential. */
const WORD = 'invoice-bot2';
const KEY = 'k3y-of-the-remote';
/** Settings with one credential, and that word wherever else they have room for it. */
const LOGIN = { client_id: WORD, client_secret: KEY, private_key: 'a private key', bot_id: WORD };
const MAIL = { smtp: `smtps://${WORD}:${KEY}@${WORD}.example`, from: `${WORD} <${WORD}@example.com>` };
const HOOK = { url: `https://${WORD}.example/${KEY}`, body: { component: WORD, list: [WORD] } };
const WORDY: Readonly<Record<string, Settings>> = {
  slack: { token: KEY, username: WORD },
  email: { ...MAIL, headers: { 'X-Env': WORD } },
  lineworks: { ...LOGIN, service_account: `${WORD}@example` },
  webhook: { hooks: { [WORD]: { ...HOOK, headers: { 'X-Env': WORD } } } },
};

const SHOWN = settingsOfChats(`${WORD}.example`, KEY, WORD);

describe('the registry of channels', () => {
  it('knows each channel by the type it calls itself', () => {
    expect([...channelTypes.keys()]).to.have.members(Object.keys(CHANNEL_SETTINGS));
    for (const [name, { type }] of channelTypes) expect(type).to.equal(name);
  });

  it('lets a webhook whose rate is limited hold up no other', () => {
    for (const [name, { pace }] of channelTypes)
      // Its limits apply to a tenant.
      if ('hooks' in (CHANNEL_SETTINGS[name] ?? {}) && name !== 'lineworks')
        expect(pace.channelMs, name).to.equal(0);
  });

  for (const [name, type] of channelTypes) {
    it(`holds of ${name}: strict settings, words that are no secrets, and a format that is named`, () => {
      expect(type.settings.isValidSync(CHANNEL_SETTINGS[name], { strict: true })).to.equal(true);
      const slip = { ...CHANNEL_SETTINGS[name], typo: 1 };
      expect(type.settings.isValidSync(slip, { strict: true })).to.equal(false);
      for (const wordy of [WORDY[name], SHOWN[name]].filter(Boolean))
        expect(secretsHidden(type.secretsOf(wordy))(`${WORD} ${JSON.stringify(wordy)}`))
          .to.match(new RegExp(`^${WORD} .*\\[secret\\]`))
          .and.not.contain(KEY);
      expect(type.formatOf(CHANNEL_SETTINGS[name]).name).to.match(/^[a-z_]+$/);
    });
  }
});
