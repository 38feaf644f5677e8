/** The config with its templates, read as a start and a reload read it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ConfigToRead, readConfig, readConfigInTurns } from '../../src/app/read-config.ts';
import { channelTypes } from '../../src/channels/registry.ts';

describe('the config with its templates', () => {
  let folder: string;
  let toRead: ConfigToRead;

  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const writeConfig = (more = '') =>
    write(
      'botbell.yaml',
      `
templates: ${folder}/templates
channels: { slack: { type: slack, token: '\${file:${folder}/token}' } }
default_route: { notify: [{ slack: '#ops' }] }
${more}`,
    );

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'botbell-read-'));
    toRead = { file: join(folder, 'botbell.yaml'), variables: {}, channelTypes };
    write('token', 'xoxb-1-2-3\n');
    write('templates/en/slack/error.yaml', `text: 'Oh: {{ bot_name }}'\nblocks: []\n`);
    writeConfig();
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is the same, read at once and read while others go on working', async () => {
    const [once, inTurns] = [readConfig(toRead), await readConfigInTurns(toRead)];
    expect(inTurns.loaded?.config).to.deep.equal(once.loaded?.config);
    expect(inTurns.loaded?.text).to.equal(once.loaded?.text);
    write('templates/en/slack/error.yaml', `text: '{{ bot_nam }} {{ mesage }}'\nblocks: []\n`);
    expect((await readConfigInTurns(toRead)).problems).to.deep.equal(readConfig(toRead).problems);
    expect(readConfig(toRead).problems).to.have.length(2);
  });

  it('is another one where a template is another, so that a message is known to have looked otherwise', () => {
    const hashOf = () => readConfig(toRead).loaded?.configHash;
    const before = hashOf();
    expect(hashOf()).to.equal(before);
    write('templates/en/slack/error.yaml', `text: 'Ah: {{ bot_name }}'\nblocks: []\n`);
    const after = hashOf();
    expect(after)
      .to.match(/^[\da-f]{64}$/)
      .and.not.to.equal(before);
    rmSync(join(folder, 'templates'), { recursive: true });
    mkdirSync(join(folder, 'templates'));
    expect([before, after]).not.to.include(hashOf());
  });

  it('knows every file that it was read from, also where it cannot be used', () => {
    const read = () => readConfig(toRead).readings;
    const own = [join(folder, 'botbell.yaml'), join(folder, 'token')];
    expect([read().files, read().folders]).to.deep.equal([own, [join(folder, 'templates')]]);
    rmSync(join(folder, 'token'));
    expect([read().files, readConfig(toRead).loaded]).to.deep.equal([own, undefined]);
    rmSync(join(folder, 'botbell.yaml'));
    expect(read().files).to.deep.equal(own.slice(0, 1));
  });

  for (const [what, path] of [
    ['the config', 'botbell.yaml'],
    ['a secret', 'token'],
    ['a template', 'templates/en/slack/error.yaml'],
    ['another template', 'templates/en/slack/succeeded.yaml'],
    ['another set', 'templates/short/email/error.yaml'],
  ] as const) {
    it(`is no longer what was read once ${what} is written`, () => {
      const { readings } = readConfig(toRead);
      expect(readings.areCurrent()).to.equal(true);
      write(path, `text: 'another'\nblocks: []\n`);
      expect(readings.areCurrent()).to.equal(false);
    });
  }

  it('is not read again from a pipe, at which the process would stand still', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    writeConfig(`groups: { g: [{ slack: '\${file:${pipe}}' }] }`);
    const { loaded, problems } = await readConfigInTurns(toRead);
    expect([loaded, problems[0]?.message]).to.deep.equal([
      undefined,
      `the file ${pipe} cannot be read: it is a pipe or a device, which is read only when Botbell is started`,
    ]);
    const [problem] = (await readConfigInTurns({ ...toRead, file: pipe })).problems;
    expect(problem?.message).to.include('a pipe or a device');
  });

  it('takes a set that is a link within the folder of templates, as Kubernetes mounts it', () => {
    write('templates/..one/mine/slack/error.yaml', `text: 'Mine'\nblocks: []\n`);
    symlinkSync('..one', join(folder, 'templates/..data'));
    symlinkSync('..data/mine', join(folder, 'templates/mine'));
    writeConfig(`routes: [{ bot_id: a, notify: [{ slack: '#ops' }], template_set: mine }]`);
    const { loaded, problems, readings } = readConfig(toRead);
    expect([problems, loaded?.config.routes[0]?.templateSet]).to.deep.equal([[], 'mine']);
    write('templates/..two/mine/slack/error.yaml', `text: 'Mine, too'\nblocks: []\n`);
    symlinkSync('..two', join(folder, 'templates/..new'));
    renameSync(join(folder, 'templates/..new'), join(folder, 'templates/..data'));
    expect(readings.areCurrent()).to.equal(false);
  });
});
