/** What configs are told, and what they are read as: each of test/fixtures/configs, beside which both stand. */
import { expect } from 'chai';
import type { Config } from '../../src/config/config.ts';
import { formatProblem } from '../../src/config/problems.ts';
import { fixtures, loadFixture, loadText } from './load-fixture.ts';

/** As JSON has it. */
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
        expect(problems.map(formatProblem)).to.deep.equal(told.map((line) => `${file}:${line}`));
        expect(config === undefined).to.equal(isRefused);
        const found = plain(config);
        for (const [key, value] of Object.entries(read)) expect(found[key] ?? null, key).to.deep.equal(value);
      }
    });
  }

  it('has no secret of its shown, whatever is wrong, be it in the file or from elsewhere', () => {
    const said = fixtures().flatMap((fixture) => loadFixture(fixture).problems);
    expect(said.map(({ message }) => message).join('\n')).not.to.include('hunter2');
  });

  it('may name by a deprecated key, too, what is not set where it is only checked', () => {
    const text = 'channels: { chat: { type: chat, key: "${UNSET}" } }\ndefault_route: { notify: [] }\n';
    const { config, problems } = loadText(text, { withoutSecrets: true });
    expect(config?.channels.get('chat')?.settings).to.deep.include({ token: 'A' });
    expect(problems).to.have.lengthOf(1);
  });
});
