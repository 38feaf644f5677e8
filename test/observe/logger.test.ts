import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';

const MODULE = new URL('../../src/observe/logger.ts', import.meta.url).href;
const SECRETS = new URL('../../src/text/hide-secrets.ts', import.meta.url).href;

const FORMS = [
  ['for people', true],
  ['as JSON', false],
] as const;

/** Arguments for a Node that makes a `logger` and goes on with the script. */
function argsOf(
  script: string,
  { isForPeople = false, level = 'info', hide = '(line) => line', inWords = '(line) => line' } = {},
) {
  const readersTime = isForPeople ? `new Intl.DateTimeFormat('en', { timeStyle: 'medium' })` : undefined;
  const made = `
    import { createLogger } from ${JSON.stringify(MODULE)};
    import { HiddenSecrets } from ${JSON.stringify(SECRETS)};
    const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const logger = await createLogger('${level}', ${readersTime}, ${hide}, ${inWords});
  `;
  return ['--import', 'tsx', '--input-type=module', '-e', made + script];
}

function logged(...script: Parameters<typeof argsOf>) {
  return spawnSync(process.execPath, argsOf(...script), { encoding: 'utf8' });
}

describe('the logger', () => {
  const SOME = `
    logger.info({ job_id: 'job-1', http: 200 }, 'callback');
    logger.debug('details');
  `;

  it('writes a JSON line each to stderr, whole whatever it hides, or a readable one, and nothing to stdout', () => {
    const forPrograms = logged(SOME, { hide: `(text) => text.replaceAll('200', '[secret]')` });
    expect(forPrograms.stderr.trim().split('\n')).to.have.length(1);
    const line: unknown = JSON.parse(forPrograms.stderr);
    expect(line).to.include({ level: 'info', job_id: 'job-1', http: 200, msg: 'callback' });
    const forPeople = logged(SOME, { isForPeople: true, level: 'debug' });
    expect(forPeople.stderr.trim()).to.match(/INFO.*callback.*"job_id":"job-1".*\n.*DEBUG.*details.*$/);
    const inJapanese = logged(SOME, { isForPeople: true, inWords: `() => 'コールバック'` });
    expect(inJapanese.stderr).to.match(/INFO.*コールバック.*"job_id":"job-1"/);
    expect(forPrograms.stdout + forPeople.stdout).to.equal('');
  });

  for (const [form, isForPeople] of FORMS)
    it(`writes no control character that foreign text brings in, ${form}`, () => {
      const script = `
        const foreign = 'a\\u001b[2J\\u009b1m\\b\\u007f\\u202e\\r\\u2028b \\\\u001b';
        logger.info({ bot_id: foreign, err: new Error(foreign) }, foreign);
      `;
      const text = logged(script, { isForPeople }).stderr;
      expect(text).to.match(/a\\u001b\[2J/);
      const isHostile = /[\p{Cc}\p{Bidi_Control}\u2028]/u.test(text.replaceAll('\n', ''));
      expect(isHostile, JSON.stringify(text)).to.equal(false);
    });

  it('keeps little of what nobody reads, and says that some is lost', () => {
    const { stdout } = logged(`
      let backlog = 100e6;
      const written = [];
      Object.defineProperty(process.stderr, 'writableLength', { get: () => backlog });
      process.stderr.write = (text) => written.push(text);
      logger.info('lost');
      await turn();
      backlog = 0;
      logger.info('read');
      await turn();
      console.log(JSON.stringify(written));
    `);
    const [text = '', ...more] = JSON.parse(stdout) as string[];
    expect(more).to.deep.equal([]);
    const [gap, line] = text.trim().split('\n');
    expect(gap).to.match(/"msg":"nobody read the log: \d+ characters/);
    expect(JSON.parse(line ?? '')).to.include({ msg: 'read' });
  });

  it('writes the last line of a process that exits in the same turn', () => {
    expect(logged(`logger.info('the last line'); process.exit(0);`).stderr).to.contain('the last line');
  });

  for (const [form, isForPeople] of FORMS)
    it(`disturbs nothing while it cannot be written, ${form}`, () => {
      const script = `
        process.stderr.on('error', () => undefined);
        for (let time = 0; time < 3; time += 1) {
          logger.info('nobody reads it');
          await turn();
        }
        console.log('goes on');
      `;
      const full = openSync('/dev/full', 'w');
      const args = argsOf(script, { isForPeople });
      const { status, stdout } = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', full] });
      expect([status, stdout.toString()]).to.deep.equal([0, 'goes on\n']);
      closeSync(full);
    });

  it('waits for nobody who does not read, neither while the process runs nor when it ends', async () => {
    const script = `
      for (let time = 0; time < 100; time += 1) {
        logger.info({ pad: 'x'.repeat(100_000) }, 'long');
        await turn();
      }
      console.log('all said', process.stderr.writableLength < 5e6);
      process.exit(7);
    `;
    const child = spawn(process.execPath, argsOf(script), { stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect([stdout, child.exitCode]).to.deep.equal(['all said true\n', 7]);
    child.stderr.destroy();
  });

  const controls = 'gong\u0007tab\tline\nfour';
  const secrets = ['pass"word-1', 'back\\slash\\2', 'パスワード-三番', controls, 'plain-secret'];
  for (const [form, isForPeople] of FORMS)
    it(`hides a secret however it is spelt, ${form}`, () => {
      const script = `
        for (const secret of ${JSON.stringify(secrets)}) {
          const cause = Object.assign(new Error('cause ' + secret), { config: { auth: [secret] } });
          const inJson = JSON.stringify({ body: JSON.stringify({ secret }) });
          const err = Object.assign(new AggregateError([cause], 'all ' + inJson, { cause }), { [secret]: encodeURIComponent(secret) });
          logger.error({ err, inJson, nested: { of: [{ secret }] } }, 'it said ' + secret);
          logger.child({ bound: secret }).info('%s and %j', secret, { secret });
          logger.info({ err: secret });
        }
      `;
      const hide = `new HiddenSecrets(${JSON.stringify(secrets)}).hide`;
      const { stderr } = logged(script, { isForPeople, hide });
      expect(stderr.match(/\[secret\]/g)?.length).to.be.greaterThan(10 * secrets.length);
      // Every secret has a part that no escaping changes.
      for (const part of ['word-1', 'slash', 'パスワード', '%E3%83%91', 'gong', 'four', 'plain-secret'])
        expect(stderr).not.to.include(part);
      if (!isForPeople)
        for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).to.have.property('level');
    });
});
