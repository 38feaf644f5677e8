import { expect } from 'chai';
import { channelTypes } from '../../src/channels/registry.ts';

const SETTINGS: Readonly<Record<string, unknown>> = {
  slack: { token: 'xoxb-1' },
  email: { smtp: 'smtps://mail.example.com', from: 'alerts@example.com' },
  slack_webhook: { hooks: { ops: 'https://hooks.slack.com/services/T1/B1/x' } },
  teams: { hooks: { ops: 'https://example.environment.api.powerplatform.com/x?sig=1' } },
  google_chat: { hooks: { ops: 'https://chat.googleapis.com/v1/spaces/A/messages?key=1&token=2' } },
  chatwork: { token: '0123456789abcdef' },
  lineworks: { hooks: { ops: 'https://webhook.worksmobile.com/message/x' } },
  discord: { hooks: { ops: 'https://discord.com/api/webhooks/1/x' } },
  mattermost: { hooks: { ops: 'https://chat.example.com/hooks/x' } },
  webhook: { hooks: { erp: { url: 'https://erp.example.com/hook' } } },
  outbox: { as: 'slack' },
};

describe('the registry of channels', () => {
  it('knows each channel by the type it calls itself', () => {
    expect([...channelTypes.keys()]).to.deep.equal(Object.keys(SETTINGS));
    for (const [name, { type }] of channelTypes) expect(type).to.equal(name);
  });

  it('lets a webhook whose rate is limited hold up no other', () => {
    for (const name of ['teams', 'google_chat', 'discord', 'mattermost', 'webhook', 'slack_webhook'])
      expect(channelTypes.get(name)?.pace.channelMs, name).to.equal(0);
  });

  for (const [name, type] of channelTypes) {
    it(`holds of ${name}: strict settings, and a format that is named`, () => {
      expect(type.settings.isValidSync(SETTINGS[name], { strict: true })).to.equal(true);
      expect(type.settings.isValidSync({ ...Object(SETTINGS[name]), typo: 1 }, { strict: true })).to.equal(
        false,
      );
      expect(type.formatOf(SETTINGS[name]).name).to.match(/^[a-z_]+$/);
    });
  }
});
