/** A change of the files is noticed, once it is over, however it was made. */
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { watchConfig } from '../../src/app/config-watch.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { until } from '../support/proof-wait.ts';

describe('the files of a config', () => {
  let folder: string;
  let file: string;
  let templates: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'botbell-watch-'));
    file = join(folder, 'botbell.yaml');
    templates = join(folder, 'templates');
    writeFileSync(file, 'a: 1');
    mkdirSync(join(templates, 'en/slack'), { recursive: true });
    writeFileSync(join(templates, 'en/slack/error.yaml'), 'text: a');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const watched = () => ({ files: [file], folders: [templates] });

  const CHANGES: Readonly<Record<string, () => void>> = {
    'the file is written': () => writeFileSync(file, 'a: 2 # longer'),
    'another file takes its place': () => {
      writeFileSync(`${file}~`, 'a: 1');
      renameSync(`${file}~`, file);
    },
    'it is gone': () => unlinkSync(file),
    'a template is written': () => writeFileSync(join(templates, 'en/slack/error.yaml'), 'text: bc'),
    'a template is added': () => writeFileSync(join(templates, 'en/slack/succeeded.yaml'), ''),
    'a set is added': () => mkdirSync(join(templates, 'short')),
    'the folder of templates is gone': () => rmSync(templates, { recursive: true }),
    'a link leads elsewhere': () => {
      rmSync(templates, { recursive: true });
      mkdirSync(join(folder, '..two/en'), { recursive: true });
      symlinkSync('..two', templates);
    },
  };
  describe('that are watched', () => {
    let clock: ManualClock;
    let stop: () => void;
    let changes: number;

    /** A second passes, and the files are looked at. */
    const second = async () => {
      await clock.advance(1000);
      await until('the next look', () => clock.sleeping === 1);
    };

    beforeEach(async () => {
      clock = new ManualClock();
      changes = 0;
      stop = watchConfig({ clock, watched, onChange: () => Promise.resolve((changes += 1)) });
      await second();
      await second();
    });

    afterEach(() => stop());

    for (const [what, change] of Object.entries(CHANGES)) {
      it(`are told of when ${what}`, async () => {
        change();
        await second();
        await second();
        expect(changes).to.equal(2);
      });
    }

    it('are told of once at the beginning, since they may have changed before, and not again', async () => {
      for (let time = 0; time < 3; time += 1) await second();
      expect(changes).to.equal(1);
    });

    it('are told of when nothing has been written for a second', async () => {
      for (const text of ['b', 'bb', 'bbb']) {
        writeFileSync(file, text);
        await second();
        expect(changes).to.equal(1);
      }
      await second();
      await second();
      expect(changes).to.equal(2);
    });

    it('are told of when they are gone, and when they are there again', async () => {
      unlinkSync(file);
      for (let time = 0; time < 3; time += 1) await second();
      writeFileSync(file, 'a: 1');
      utimesSync(file, 1, 1);
      for (let time = 0; time < 3; time += 1) await second();
      expect(changes).to.equal(3);
    });

    it('are not looked at any more after it was stopped', async () => {
      stop();
      writeFileSync(file, 'another');
      await clock.advance(10_000);
      expect([changes, clock.sleeping]).to.deep.equal([1, 0]);
    });
  });
});
