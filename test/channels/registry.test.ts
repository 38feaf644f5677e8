import { expect } from 'chai';
import { channelTypes } from '../../src/channels/registry.ts';

const SETTINGS: Readonly<Record<string, unknown>> = {
  slack: { token: 'xoxb-1' },
  email: { smtp: 'smtps://mail.example.com', from: 'alerts@example.com' },
  outbox: { as: 'slack' },
};

describe('the registry of channels', () => {
  it('knows each channel by the type it calls itself', () => {
    expect([...channelTypes.keys()]).to.deep.equal(Object.keys(SETTINGS));
    for (const [name, { type }] of channelTypes) expect(type).to.equal(name);
  });

  for (const [name, type] of channelTypes) {
    it(`holds of ${name}: strict settings, and a format that is named`, () => {
      expect(type.settings.isValidSync(SETTINGS[name], { strict: true })).to.equal(true);
      expect(type.settings.isValidSync({ ...Object(SETTINGS[name]), typo: 1 }, { strict: true })).to.equal(
        false,
      );
      expect(type.formatOf(SETTINGS[name]).name).to.be.oneOf(['slack', 'email']);
    });
  }
});
