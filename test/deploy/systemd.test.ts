/** deploy/systemd/botbell.service, read by systemd itself. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { receiverOf } from '../../src/config/config.ts';
import { receiverSchema } from '../../src/config/schema.ts';
import { parseDuration } from '../../src/time/display.ts';
import { isInstalled } from '../support/installed.ts';
import { nodeArgumentsOfStart } from '../support/process.ts';
import { replaceEach } from '../support/replace-each.ts';
import { secretFilesIn } from '../support/secret-files.ts';
import { IS_FULL } from '../support/test-size.ts';

const FOLDER = join(import.meta.dirname, '../../deploy/systemd');
const UNIT = readFileSync(join(FOLDER, 'botbell.service'), 'utf8');
const CONFIG = readFileSync(join(FOLDER, 'botbell.yaml'), 'utf8');

/** What `systemd-analyze security` finds at most, from 0 (nothing is exposed) to 10. */
const EXPOSURE = 1.1;

/** All values of a setting, in their order. */
function valuesOf(setting: string): string[] {
  return [...UNIT.matchAll(new RegExp(`^${setting}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

describe('The systemd unit', () => {
  it('starts node itself, with what `npm start` gives V8', () => {
    const main = '/opt/botbell/node_modules/botbell/dist/main.js';
    expect(valuesOf('ExecStart')).to.deep.equal([
      ['/usr/bin/node', ...nodeArgumentsOfStart(), main, 'serve'].join(' '),
    ]);
  });

  it('lets it finish what it is sending', () => {
    const { answerWithinMs } = receiverOf(receiverSchema.getDefault());
    expect(CONFIG, 'then the default is in force').not.to.include('answer_within');
    expect(parseDuration(valuesOf('TimeoutStopSec')[0] ?? '')).to.be.at.least(answerWithinMs + 1000);
  });

  it('hands over each secret that the config names', () => {
    const names = valuesOf('LoadCredential').map((value) => value.split(':')[0] ?? '');
    expect(secretFilesIn(CONFIG)).to.have.members(
      names.map((name) => `/run/credentials/botbell.service/${name}`),
    );
  });
});

if (IS_FULL && isInstalled('systemd-analyze', 'the unit')) {
  describe('The systemd unit, by systemd', () => {
    let folder: string;
    let unit: string;

    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'botbell-unit-'));
      unit = join(folder, 'botbell.service');
      // What it starts has to be there.
      writeFileSync(unit, replaceEach(UNIT, { '/usr/bin/node': process.execPath }));
    });

    after(() => rmSync(folder, { recursive: true, force: true }));

    it('is well-formed', () => {
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], {
        encoding: 'utf8',
      });
      const aboutIt = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('botbell'));
      expect(aboutIt).to.deep.equal([]);
      expect(status, stderr).to.equal(0);
    });

    it(`exposes at most ${EXPOSURE} of 10`, () => {
      const args = ['security', '--offline=true', '--no-pager', `--threshold=${EXPOSURE * 10}`, unit];
      const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
      expect(stdout).to.match(/Overall exposure level for botbell\.service: \d/);
      expect(
        status,
        `${stdout
          .split('\n')
          .filter((line) => line.startsWith('✗'))
          .join('\n')}${stderr}`,
      ).to.equal(0);
    });
  });
}
