/** Which templates of one's own there are, in one value that replicas and deliveries are compared by. */
import { expect } from 'chai';
import { fingerprintOf, readTemplateFolder } from '../../src/render/template-folder.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { TemplateFolder } from './render-fixture.ts';

describe('The fingerprint of one’s own templates', () => {
  const fingerprint = async (files: Readonly<Record<string, string>>) => {
    const folder = new TemplateFolder();
    folder.path = tempFolder();
    return fingerprintOf(await readTemplateFolder(folder.write(files).path, ['slack', 'email']));
  };

  const ERROR = { 'en/slack/error.yaml': 'text: a' };
  const CARD = { 'en/card/error.yaml': 'title: b' };

  it('is the same wherever they lie, in whichever order they were written', async () => {
    const one = await fingerprint({ ...ERROR, ...CARD });
    expect(one).to.match(/^[\da-f]{64}$/);
    expect(await fingerprint({ ...CARD, ...ERROR })).to.equal(one);
  });

  it('changes with each of their texts, and with what they are for', async () => {
    const all = [
      await fingerprint(ERROR),
      await fingerprint({ 'en/slack/error.yaml': 'text: b' }),
      await fingerprint({ 'ja/slack/error.yaml': 'text: a' }),
      await fingerprint({ 'en/email/error.yaml': 'text: a' }),
      await fingerprint({ 'en/slack/executing.yaml': 'text: a' }),
      await fingerprint({ ...ERROR, ...CARD }),
    ];
    expect(new Set(all)).to.have.property('size', all.length);
  });

  it('is none where there are none', async () => {
    expect(await fingerprint({})).to.equal(undefined);
  });
});
