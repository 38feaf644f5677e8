import { expect } from 'chai';
import { channelTypes } from '../../src/channels/registry.ts';
import { secretsHidden } from '../../src/text/hide-secrets.ts';
import { CHANNEL_SETTINGS } from '../support/channel-settings.ts';

/** A BOT's id, as it may stand in any setting that is no credential. */
const WORD = 'invoice-bot2';
const KEY = 'k3y-of-the-remote';
const HOOKS = { hooks: { [WORD]: `https://${WORD}.example/${KEY}` } };

/** Settings with one credential, and that word wherever else they have room for it. */
const WORDY: Readonly<Record<string, unknown>> = {
  slack: { token: KEY, username: WORD },
  email: {
    smtp: `smtps://${WORD}:${KEY}@${WORD}.example`,
    from: `${WORD} <${WORD}@example.com>`,
    headers: { 'X-Env': WORD },
  },
  slack_webhook: HOOKS,
  teams: HOOKS,
  google_chat: HOOKS,
  chatwork: { token: KEY },
  lineworks: {
    client_id: WORD,
    client_secret: KEY,
    service_account: `${WORD}@example`,
    private_key: 'a private key',
    bot_id: WORD,
  },
  discord: HOOKS,
  mattermost: HOOKS,
  webhook: {
    hooks: {
      [WORD]: { url: HOOKS.hooks[WORD], headers: { 'X-Env': WORD }, body: { component: WORD, list: [WORD] } },
    },
  },
  outbox: { as: 'slack' },
};

describe('the registry of channels', () => {
  it('knows each channel by the type it calls itself', () => {
    expect([...channelTypes.keys()]).to.deep.equal(Object.keys(CHANNEL_SETTINGS));
    for (const [name, { type }] of channelTypes) expect(type).to.equal(name);
  });

  it('lets a webhook whose rate is limited hold up no other', () => {
    for (const name of ['teams', 'google_chat', 'discord', 'mattermost', 'webhook', 'slack_webhook'])
      expect(channelTypes.get(name)?.pace.channelMs, name).to.equal(0);
  });

  for (const [name, type] of channelTypes) {
    it(`holds of ${name}: strict settings, words that are no secrets, and a format that is named`, () => {
      expect(type.settings.isValidSync(CHANNEL_SETTINGS[name], { strict: true })).to.equal(true);
      expect(
        type.settings.isValidSync({ ...Object(CHANNEL_SETTINGS[name]), typo: 1 }, { strict: true }),
      ).to.equal(false);
      const hide = secretsHidden(type.secretsOf(WORDY[name]));
      const hidden = name === 'outbox' ? KEY : '[secret]';
      expect(hide(`${WORD} ${KEY}`), 'secrets, and words').to.equal(`${WORD} ${hidden}`);
      expect(type.formatOf(CHANNEL_SETTINGS[name]).name).to.match(/^[a-z_]+$/);
    });
  }
});
