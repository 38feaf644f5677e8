/** Which templates of one's own there are, in one value that replicas and deliveries are compared by. */
import { expect } from 'chai';
import { fingerprintOf, readTemplateFolder } from '../../src/render/template-folder.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { TemplateFolder } from './render-fixture.ts';

describe('The fingerprint of one’s own templates', () => {
  const fingerprint = (files: Readonly<Record<string, string>>) => {
    const folder = new TemplateFolder();
    folder.path = tempFolder();
    return fingerprintOf(readTemplateFolder(folder.write(files).path, ['slack', 'email']));
  };

  const ERROR = { 'en/slack/error.yaml': 'text: a' };
  const CARD = { 'en/card/error.yaml': 'title: b' };

  it('is the same wherever they lie, in whichever order they were written', () => {
    const one = fingerprint({ ...ERROR, ...CARD });
    expect(one).to.match(/^[\da-f]{64}$/);
    expect(fingerprint({ ...CARD, ...ERROR })).to.equal(one);
  });

  it('changes with each of their texts, and with what they are for', () => {
    const all = [
      fingerprint(ERROR),
      fingerprint({ 'en/slack/error.yaml': 'text: b' }),
      fingerprint({ 'ja/slack/error.yaml': 'text: a' }),
      fingerprint({ 'en/email/error.yaml': 'text: a' }),
      fingerprint({ 'en/slack/executing.yaml': 'text: a' }),
      fingerprint({ ...ERROR, ...CARD }),
    ];
    expect(new Set(all)).to.have.property('size', all.length);
  });

  it('is none where there are none', () => {
    expect(fingerprint({})).to.equal(undefined);
  });
});
