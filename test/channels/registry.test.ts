import { expect } from 'chai';
import { channelTypes } from '../../src/channels/registry.ts';
import { CHANNEL_SETTINGS } from '../support/channel-settings.ts';

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
    it(`holds of ${name}: strict settings, and a format that is named`, () => {
      expect(type.settings.isValidSync(CHANNEL_SETTINGS[name], { strict: true })).to.equal(true);
      expect(
        type.settings.isValidSync({ ...Object(CHANNEL_SETTINGS[name]), typo: 1 }, { strict: true }),
      ).to.equal(false);
      expect(type.formatOf(CHANNEL_SETTINGS[name]).name).to.match(/^[a-z_]+$/);
    });
  }
});
