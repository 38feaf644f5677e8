/** The config with its templates, read as a start and a reload read it. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ConfigToRead, readConfig } from '../../src/app/settings.ts';
import type { Readings } from '../../src/config/readings.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { problemInWords } from '../../src/config/problems.ts';

const isAsRead = async (readings: Readings) => (await readings.again()) === readings.digest;

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
${more.includes('default_route') ? '' : "default_route: { notify: [{ slack: '#ops' }] }"}
${more}`,
    );

  beforeEach(() => {
    folder = tempFolder();
    toRead = { file: join(folder, 'botbell.yaml'), variables: {}, channelTypes };
    write('token', 'xoxb-1-2-3\n');
    write('templates/en/slack/error.yaml', `text: 'Oh: {{ bot_name }}'\nblocks: [{ type: divider }]\n`);
    writeConfig();
  });

  it('is another one where a template is another, so that a message is known to have looked otherwise', async () => {
    const hashOf = async () => (await readConfig(toRead)).loaded?.configHash;
    const before = await hashOf();
    expect(await hashOf()).to.equal(before);
    write('templates/en/slack/error.yaml', `text: 'Ah: {{ bot_name }}'\nblocks: [{ type: divider }]\n`);
    const after = await hashOf();
    rmSync(join(folder, 'templates'), { recursive: true });
    mkdirSync(join(folder, 'templates'));
    expect(new Set([before, after, await hashOf()]).size).to.equal(3);
  });

  it('is another one where the environment names somebody else, but not by a secret, which a hash could give away', async () => {
    writeConfig("default_route: { notify: [{ slack: '${OPS}' }] }");
    const hashOf = async (OPS: string) =>
      (await readConfig({ ...toRead, variables: { OPS } })).loaded?.configHash;
    const before = await hashOf('#ops');
    write('token', 'xoxb-4-5-6\n');
    const isAsBefore = [await hashOf('#ops'), await hashOf('#log')].map((hash) => hash === before);
    expect(isAsBefore).to.deep.equal([true, false]);
  });

  it('is another one where a file of a calendar has other days, and keeps the last ones where that cannot be read any more', async () => {
    write('holidays.csv', '2026/11/3,Culture Day\r\n');
    writeConfig('calendars: { office: { except: [{ file: holidays.csv }] } }');
    const { loaded: first, readings } = await readConfig(toRead);
    write('holidays.csv', '2026/11/3\n2026/11/23\n');
    expect(await isAsRead(readings)).to.equal(false);
    const { loaded: second } = await readConfig(toRead);
    expect(second?.configHash).not.to.equal(first?.configHash);
    rmSync(join(folder, 'holidays.csv'));
    expect((await readConfig(toRead)).loaded).to.equal(undefined);
    const datesOfFiles = second?.config.calendars.files;
    const { loaded: third, problems } = await readConfig({
      ...toRead,
      ...(datesOfFiles && { datesOfFiles }),
    });
    expect(third?.configHash).to.equal(second?.configHash);
    expect(problems.map((each) => problemInWords(each, 'en')).join()).to.match(
      /calendars\.office\.except\[0\]\.file cannot be read: it is not there \(.*\); its last known days stay in force$/,
    );
  });

  it('cannot be used where its templates are wrong, those of links, or conditions, and says where', async () => {
    write('templates/en/slack/error.yaml', `text: '{{ nme }}'\n`);
    expect((await readConfig(toRead)).loaded).to.equal(undefined);
    writeConfig(
      "display: { links: { job: 'https://e.com/{{ jb_id }}', file: 'https://e.com/{% x %}' } }\nroutes: [{ bot_id: a, when: jb_id == 0, notify: [] }]",
    );
    const { loaded, problems } = await readConfig(toRead);
    expect(loaded).to.equal(undefined);
    expect(
      problems.map((each) => `${each.place.line}:${each.place.column}: ${problemInWords(each, 'en')}`),
    ).to.deep.equal([
      '5:21: display.links.job: there is no variable "jb_id"; did you mean "job_id"?',
      '5:55: display.links.file: there is no tag "x"; did you mean "#"?',
      '6:23: routes[0].when: there is no variable "jb_id"; did you mean "job_id"?',
      '1:11: there is no variable "nme"; did you mean "name"?',
    ]);
  });

  it('is told what is wrong with its templates also where no route is sound', async () => {
    write('templates/en/slack/error.yaml', `text: '{{ nme }}'\n`);
    write('templates/short/slack/error.yaml', `text: '{{ nme }}'\n`);
    writeConfig('default_route: { on: [eror], notify: [], template_set: short }');
    const { problems } = await readConfig(toRead);
    const codes = problems.map(({ fault }) => fault.code);
    expect(codes).to.deep.equal(['one of', 'liquid.variable', 'liquid.variable']);
    const hook = `{ url: 'https://e.com/a', secret: 'whsec_${'A'.repeat(32)}', body: { a: '{{ nme }}' } }`;
    const channels = `channels: { erp: { type: webhook, hooks: { a: ${hook} } } }`;
    write('botbell.yaml', `${channels}\ndefault_route: { on: [eror], notify: [{ erp: a }] }`);
    const ofBody = (await readConfig(toRead)).problems.map(({ fault }) => fault.code);
    expect(ofBody).to.deep.equal(['liquid.variable', 'one of']);
  });

  it('is checked for what goes to whom only a digest or a report is told', async () => {
    write('templates/en/slack/report.yaml', `text: '{{ nme }}'\n`);
    const toOps = "notify: [{ slack: '#ops' }]";
    for (const told of [`groups: { ops: { ${toOps}, digest: {} } }`, `reports: [{ every: day, ${toOps} }]`]) {
      writeConfig(`default_route: { notify: [] }\n${told}`);
      expect((await readConfig(toRead)).loaded, told).to.equal(undefined);
    }
  });

  it('is no longer what was read once a file of it is written, or one more, also where it cannot be used', async () => {
    const template = `text: 'another'\nblocks: [{ type: divider }]\n`;
    const templates = ['en/slack/error.yaml', 'en/slack/succeeded.yaml', 'short/slack/error.yaml'];
    rmSync(join(folder, 'token'));
    for (const path of ['token', ...templates.map((name) => `templates/${name}`), 'botbell.yaml']) {
      const { readings, loaded } = await readConfig(toRead);
      expect([loaded === undefined, await isAsRead(readings)], path).to.deep.equal([path === 'token', true]);
      write(path, path === 'token' ? 'xoxb-1-2-3' : template);
      expect(await isAsRead(readings), path).to.equal(false);
    }
  });

  it('takes a set that is a link within the folder of templates, as Kubernetes mounts it', async () => {
    write('templates/..one/mine/slack/error.yaml', `text: 'Mine'\nblocks: [{ type: divider }]\n`);
    symlinkSync('..one', join(folder, 'templates/..data'));
    symlinkSync('..data/mine', join(folder, 'templates/mine'));
    writeConfig(`routes: [{ bot_id: a, notify: [{ slack: '#ops' }], template_set: mine }]`);
    const { loaded, problems, readings } = await readConfig(toRead);
    expect([problems, loaded?.config.routes[0]?.templateSet]).to.deep.equal([[], 'mine']);
    write('templates/..two/mine/slack/error.yaml', `text: 'Mine, too'\nblocks: [{ type: divider }]\n`);
    symlinkSync('..two', join(folder, 'templates/..new'));
    renameSync(join(folder, 'templates/..new'), join(folder, 'templates/..data'));
    expect(await isAsRead(readings)).to.equal(false);
  });

  it('is no longer what was read once the folder that it is a link into is another, as Kubernetes mounts it', async () => {
    const version = (name: string) => write(`${name}/botbell.yaml`, `# ${name}\nstore: {}\n`);
    version('..one');
    symlinkSync('..one', join(folder, '..data'));
    rmSync(toRead.file);
    symlinkSync('..data/botbell.yaml', toRead.file);
    const { readings } = await readConfig(toRead);
    expect(await isAsRead(readings)).to.equal(true);
    version('..two');
    symlinkSync('..two', join(folder, '..new'));
    renameSync(join(folder, '..new'), join(folder, '..data'));
    rmSync(join(folder, '..one'), { recursive: true });
    expect(await isAsRead(readings)).to.equal(false);
  });
});
