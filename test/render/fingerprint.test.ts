/** Which templates of one's own there are, in one value that replicas and deliveries are compared by. */
import { expect } from 'chai';
import { fingerprintOf } from '../../src/render/template-folder.ts';
import { ownTemplates } from './render-fixture.ts';

describe('The fingerprint of one’s own templates', () => {
  const fingerprint = async (files: Readonly<Record<string, string>>) =>
    fingerprintOf(await ownTemplates(files));

  it('changes with each of their texts and with what they are for, not with their order, and is none without any', async () => {
    const [error, card] = [{ 'en/slack/error.yaml': 'text: a' }, { 'en/card/error.yaml': 'title: b' }];
    expect(await fingerprint({ ...error, ...card })).to.equal(await fingerprint({ ...card, ...error }));
    const places = ['en/slack/error', 'ja/slack/error', 'en/email/error', 'en/slack/executing'];
    const folders = [...places.map((place) => ({ [`${place}.yaml`]: 'text: a' })), { ...error, ...card }, {}];
    const all = await Promise.all([...folders, { 'en/slack/error.yaml': 'text: b' }].map(fingerprint));
    expect(new Set(all)).to.have.property('size', all.length);
    expect(all.filter((each) => each === undefined)).to.have.lengthOf(1);
  });
});
