/** Logs go to stderr: as JSON for machines, as one readable line for people. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';

const MODULE = new URL('../../src/observe/logger.ts', import.meta.url).href;

function logged(level: string, isForPeople: boolean) {
  const script = `
    import { createLogger } from ${JSON.stringify(MODULE)};
    const redact = (text) => text.replaceAll('hunter2', '[secret]').replaceAll('30', '[secret]');
    const logger = await createLogger(${JSON.stringify(level)}, ${isForPeople}, redact);
    logger.info({ job_id: 'job-1', http: 200 }, 'callback');
    logger.debug('details');
    const cause = new Error('it said hunter2');
    logger.error({ err: new Error('no login with hunter2', { cause }), all: [{ of: 'hunter2' }] }, 'trouble, hunter2');
  `;
  const options = { encoding: 'utf8' } as const;
  return spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], options);
}

describe('the logger', () => {
  it('writes a JSON line each to stderr, and nothing to stdout', () => {
    const { stdout, stderr } = logged('info', false);
    expect(stdout).to.equal('');
    const lines = stderr.trim().split('\n');
    expect(lines).to.have.length(2);
    expect(JSON.parse(lines[0] ?? '')).to.include({ level: 30, job_id: 'job-1', http: 200, msg: 'callback' });
  });

  it('writes one readable line each for people', () => {
    const { stdout, stderr } = logged('debug', true);
    expect(stdout).to.equal('');
    const [info, debug] = stderr.trim().split('\n');
    expect(info).to.match(/INFO.*callback.*"job_id":"job-1"/);
    expect(debug).to.match(/DEBUG.*details/);
  });

  for (const isForPeople of [false, true])
    it(`writes no control character that foreign text brings in, ${isForPeople ? 'for people' : 'as JSON'}`, () => {
      const script = `
        import { createLogger } from ${JSON.stringify(MODULE)};
        const logger = await createLogger('info', ${isForPeople}, (line) => line);
        const foreign = 'a\\u001b[2J\\u009b1m\\b\\u007f\\u202e\\r\\u2028b \\\\u001b';
        logger.info({ bot_id: foreign, err: new Error(foreign) }, foreign);
      `;
      const args = ['--import', 'tsx', '--input-type=module', '-e', script];
      const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      // The readable form has colours of its own.
      const text = stderr.replaceAll(/\u001b\[\d+m/g, '');
      expect(text).to.match(/a\\u001b\[2J/);
      expect(
        /[\p{Cc}\p{Bidi_Control}\u2028]/u.test(text.replaceAll('\n', '')),
        JSON.stringify(text),
      ).to.equal(false);
    });

  it('keeps little of what nobody reads, and says that some is lost', () => {
    const script = `
      import { createLogger } from ${JSON.stringify(MODULE)};
      let backlog = 100e6;
      const written = [];
      Object.defineProperty(process.stderr, 'writableLength', { get: () => backlog });
      process.stderr.write = (text) => written.push(text);
      const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      const logger = await createLogger('info', false, (line) => line);
      logger.info('lost');
      await turn();
      backlog = 0;
      logger.info('read');
      await turn();
      console.log(JSON.stringify(written));
    `;
    const args = ['--import', 'tsx', '--input-type=module', '-e', script];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const [text = '', ...more] = JSON.parse(stdout) as string[];
    expect(more).to.deep.equal([]);
    const [gap, line] = text.trim().split('\n');
    expect(JSON.parse(gap ?? ''))
      .to.have.property('msg')
      .that.matches(/^nobody read the log: \d+ characters/);
    expect(JSON.parse(line ?? '')).to.include({ msg: 'read' });
  });

  it('writes the last line of a process that exits in the same turn', () => {
    const script = `
      import { createLogger } from ${JSON.stringify(MODULE)};
      const logger = await createLogger('info', false, (line) => line);
      logger.info('the last line');
      process.exit(0);
    `;
    const args = ['--import', 'tsx', '--input-type=module', '-e', script];
    const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stderr).to.contain('the last line');
  });

  for (const isForPeople of [false, true])
    it(`disturbs nothing while it cannot be written, ${isForPeople ? 'for people' : 'as JSON'}`, () => {
      const script = `
        import { createLogger } from ${JSON.stringify(MODULE)};
        process.stderr.on('error', () => undefined);
        const logger = await createLogger('info', ${isForPeople}, (line) => line);
        for (let turn = 0; turn < 3; turn += 1) {
          logger.info('nobody reads it');
          await new Promise((resolve) => setImmediate(resolve));
        }
        console.log('goes on');
      `;
      const args = ['--import', 'tsx', '--input-type=module', '-e', script];
      const full = openSync('/dev/full', 'w');
      const { status, stdout } = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', full] });
      expect([status, stdout.toString()]).to.deep.equal([0, 'goes on\n']);
      closeSync(full);
    });

  it('waits for nobody who does not read, neither while the process runs nor when it ends', async () => {
    const script = `
      import { createLogger } from ${JSON.stringify(MODULE)};
      const logger = await createLogger('info', false, (line) => line);
      for (let turn = 0; turn < 100; turn += 1) {
        logger.info({ pad: 'x'.repeat(100_000) }, 'long');
        await new Promise((resolve) => setImmediate(resolve));
      }
      console.log('all said', process.stderr.writableLength < 5e6);
      process.exit(7);
    `;
    const args = ['--import', 'tsx', '--input-type=module', '-e', script];
    // Nobody reads from its stderr.
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect([stdout, child.exitCode]).to.deep.equal(['all said true\n', 7]);
    child.stderr.destroy();
  });

  for (const isForPeople of [false, true])
    it(`hides a secret however it is spelt, ${isForPeople ? 'for people' : 'as JSON'}`, () => {
      const secrets = [
        'pass"word-1',
        'back\\slash\\2',
        'パスワード-三番',
        'bell\u0007tab\tline\nfour',
        'plain-secret-5',
      ];
      const script = `
        import { createLogger } from ${JSON.stringify(MODULE)};
        import { HiddenSecrets } from ${JSON.stringify(new URL('../../src/text/hide-secrets.ts', import.meta.url).href)};
        const secrets = ${JSON.stringify(secrets)};
        const logger = await createLogger('info', ${isForPeople}, new HiddenSecrets(secrets).hide);
        for (const secret of secrets) {
          const cause = Object.assign(new Error('cause ' + secret), { config: { auth: [secret] } });
          const inJson = JSON.stringify({ body: JSON.stringify({ secret }) });
          const err = Object.assign(new AggregateError([cause], 'all ' + inJson, { cause }), { [secret]: encodeURIComponent(secret) });
          logger.error({ err, inJson, nested: { of: [{ secret }] } }, 'it said ' + secret);
          logger.child({ bound: secret }).info('%s and %j', secret, { secret });
          logger.info({ err: secret });
        }
      `;
      const args = ['--import', 'tsx', '--input-type=module', '-e', script];
      const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect(stderr.match(/\[secret\]/g)?.length).to.be.greaterThan(10 * secrets.length);
      // Every secret has a part that no escaping changes.
      for (const part of ['word-1', 'slash', 'パスワード', '%E3%83%91', 'bell', 'four', 'plain-secret'])
        expect(stderr).not.to.include(part);
      if (!isForPeople)
        for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).to.have.property('level');
    });

  it('takes secrets out of whatever is logged, and leaves the JSON whole', () => {
    for (const isForPeople of [true, false]) {
      const { stderr } = logged('info', isForPeople);
      expect(stderr).to.include('no login with [secret]').and.to.not.include('hunter2');
    }
    const [info = '', error = ''] = logged('info', false).stderr.trim().split('\n');
    expect(JSON.parse(info)).to.include({ level: 30 });
    expect(JSON.parse(error)).to.deep.include({ all: [{ of: '[secret]' }], msg: 'trouble, [secret]' });
  });
});
