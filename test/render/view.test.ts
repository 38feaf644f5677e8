import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import { parseJson } from '../../src/callback/decode.ts';
import type { DisplayConfig } from '../../src/config/config.ts';
import type { OutputView } from '../../src/channels/card.ts';
import { samplesOf } from '../../src/render/samples.ts';
import { createLinks } from '../../src/render/links.ts';
import { type NoticeView, viewOf as viewOfNotice } from '../../src/render/view.ts';
import { noticeAbout } from '../support/callbacks.ts';
import { BARE, LINKS, readFixture } from './render-fixture.ts';

function viewOf(callback: Callback, links: DisplayConfig['links'] = LINKS): NoticeView {
  const display: DisplayConfig = { timezone: 'Asia/Tokyo', language: 'en', links };
  return viewOfNotice(noticeAbout(callback), display, createLinks(display));
}

const outputsOf = (callback: Callback, links?: DisplayConfig['links']): readonly OutputView[] =>
  viewOf(callback, links).outputs?.() ?? [];
const withOutput = (output: Record<string, unknown>) => outputsOf({ ...BARE, output });
const filesOf = (...files: unknown[]) => withOutput({ f: { type: 'files', files } })[0]?.files ?? [];

describe('the variables of a template', () => {
  it('hold what came, and nothing where nothing came', () => {
    const view = viewOf(readFixture('nulls-and-extras.json'));
    expect(view).to.include({
      bot_id: 'nightly-report',
      elapsed: '',
      message: null,
      output: null,
      attempt: 1,
    });
    expect(view).to.have.nested.property('callback.contract', 'example1');
    expect(view.outputs?.()).to.deep.equal([]);
  });

  it('show a start in an hour that the clocks skipped as in the hour after it', () => {
    const display: DisplayConfig = { timezone: 'America/New_York', language: 'en', links: {} };
    const callback = { ...BARE, start_time: '2026-03-08T02:30:00' };
    const view = viewOfNotice(noticeAbout(callback, 1, display.timezone), display, createLinks(display));
    expect(view.started_at).to.include('03:30:00');
  });

  it('say nothing of a time that no run takes, or of a start that is the zero of a program', () => {
    for (const elapsed_time of [-5, Infinity, -Infinity])
      expect(viewOf({ ...BARE, elapsed_time }).elapsed).to.equal('');
    expect(viewOf({ ...BARE, elapsed_time: 0 }).elapsed).to.equal('0 s');
    expect(viewOf({ ...BARE, start_time: '0001-01-01T00:00:00Z' }).started_at).to.equal('');
  });

  it('have no address of which a value is absent or empty', () => {
    const job = 'https://example.com/{{ callback.tenant }}/{{ job_id }}';
    for (const more of [{}, { tenant: null }, { tenant: '' }])
      expect(viewOf({ ...BARE, ...more }, { job }).job_url).to.equal('');
    expect(viewOf({ ...BARE, tenant: 't' }, { job }).job_url).to.equal('https://example.com/t/j-1');
    const file = 'https://example.com/{{ callback.tenant }}/{{ ref }}?of={{ size }}';
    const output = { f: { type: 'files', files: [{ ref: 'a/b' }, { ref: 'c', meta: { size: 0 } }] } };
    const urlsOf = (callback: Callback) => outputsOf(callback, { file })[0]?.files.map(({ url }) => url);
    expect(urlsOf({ ...BARE, tenant: 't', output })).to.deep.equal(['', 'https://example.com/t/c?of=0']);
    expect(urlsOf({ ...BARE, output })).to.deep.equal(['', '']);
  });

  it('keep an address that does without its absent value', () => {
    const job =
      '{% if callback.tenant %}https://example.com/{{ callback.tenant }}{% else %}https://example.com/{{ job_id }}{% endif %}';
    expect(viewOf(BARE, { job }).job_url).to.equal('https://example.com/j-1');
    const withDefault = 'https://example.com/{{ callback.tenant | default: "main" }}';
    expect(viewOf(BARE, { job: withDefault }).job_url).to.equal('https://example.com/main');
  });

  it('have no address in an alert if its template asks for what only a callback has', () => {
    const display: DisplayConfig = {
      timezone: 'UTC',
      language: 'en',
      links: { job: 'https://example.com/{{ callback.tenant }}/{{ job_id }}' },
    };
    const [alert] = samplesOf('dead_letter');
    expect(viewOfNotice(alert, display, createLinks(display)).job_url).to.equal('');
  });

  describe('sort the output values', () => {
    it('into scalars, lists, files and others', () => {
      const outputs = outputsOf(readFixture('odd-output.json'));
      expect(outputs.map(({ name, kind, value }) => [name, kind, value])).to.deep.equal([
        ['数', 'scalar', 3],
        ['真', 'scalar', true],
        ['無', 'other', 'null'],
        ['入れ子', 'other', '{"a":{"b":[1,[2,[3]]]}}'],
        ['空', 'list', ''],
        ['空文字', 'scalar', ''],
        ['混在', 'list', 'a, {"k":"v"}, ["x"]'],
        ['type', 'scalar', 'files'],
      ]);
    });

    it('with numbers as they were spelt and keys in their order, whole numbers too', () => {
      const json = '{"b":1.10,"2":[1.0,{"10":-0,"9":2}],"1":{"c":12345678901234567890}}';
      const shown = withOutput(parseJson(Buffer.from(json)).value as Record<string, unknown>);
      expect(shown.map(({ name, value }) => [name, String(value)])).to.deep.equal([
        ['b', '1.10'],
        ['2', '1.0, {"10":-0,"9":2}'],
        ['1', '{"c":12345678901234567890}'],
      ]);
    });

    it('whatever their names', () => {
      const outputs = outputsOf(readFixture('hostile.json'));
      expect(outputs.map(({ name }) => name)).to.deep.equal(['<b>key</b>', '__proto__', 'constructor']);
      expect(withOutput({ ' \n': 'x' })[0]?.name).to.equal('–');
    });

    it('and find the files inside a list', () => {
      const items = outputsOf(readFixture('succeeded.json'))[1];
      expect(items?.files.map(({ name }) => name)).to.deep.equal(['0001.jpg', '0002.jpg']);
    });
  });

  describe('of a file', () => {
    it('are its name, size, time and address', () => {
      const [file] = outputsOf(readFixture('files.json'))[0]?.files ?? [];
      expect({ ...file }).to.deep.equal({
        name: '2026年10月 明細(最終).pdf',
        size: 1048576,
        timestamp: '9 Oct 2025, 17:53:20 (GMT+9)',
        ref: 'jobs/f-1/files/1',
        url: 'https://example.com/jobs/f-1/files/1',
      });
    });

    it('tell seconds from milliseconds, and neither from nonsense', () => {
      const shown = (timestamp: unknown) => filesOf({ meta: { timestamp } })[0]?.timestamp;
      for (const timestamp of [1760000000, 1760000000000])
        expect(shown(timestamp)).to.equal('9 Oct 2025, 17:53:20 (GMT+9)');
      for (const timestamp of [0, -5, 1e300, '1760000000', null]) expect(shown(timestamp)).to.equal('');
    });

    it('bear malformed entries', () => {
      const files = filesOf(
        null,
        5,
        'x',
        {},
        { ref: 7, meta: 'x' },
        { ref: 'jobs/j/files/abc', meta: { size: -1 } },
      );
      expect(files.map(({ name, size, url }) => [name, size, url])).to.deep.equal([
        ['null', '', ''],
        ['5', '', ''],
        ['"x"', '', ''],
        ['{}', '', ''],
        ['{"ref":7,"meta":"x"}', '', ''],
        ['abc', '', 'https://example.com/jobs/j/files/abc'],
      ]);
    });
  });

  describe('with addresses', () => {
    it('escape what a link is made of, the slashes of a reference excepted', () => {
      const [file] = filesOf({ ref: 'jobs/a b/files/?x#y' });
      expect(file?.url).to.equal('https://example.com/jobs/a%20b/files/%3Fx%23y');
      expect(viewOf({ ...BARE, job_id: 'a/../b?c' }).job_url).to.equal(
        'https://example.com/jobs/a%2F..%2Fb%3Fc',
      );
    });

    for (const ref of ['../../etc', 'jobs/../../x', 'jobs/..', './x', ''])
      it(`lead nowhere for the reference ${JSON.stringify(ref)}`, () =>
        expect(filesOf({ ref })[0]?.url).to.equal(''));

    for (const job of [
      'javascript:alert({{ job_id }})',
      'ftp://a.test/{{ job_id }}',
      '{{ job_id }}',
      'https://[{{ job_id }}/',
    ])
      it(`are empty where the template gives ${job}`, () =>
        expect(viewOf(BARE, { job }).job_url).to.equal(''));

    it('are empty where none are configured', () => {
      expect(viewOf(readFixture('files.json'), {}).job_url).to.equal('');
      expect(outputsOf(readFixture('files.json'), {})[0]?.files[0]?.url).to.equal('');
    });
  });
});
