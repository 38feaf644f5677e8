import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import { parseJson } from '../../src/callback/decode.ts';
import type { DisplayConfig } from '../../src/config/config.ts';
import type { OutputView } from '../../src/channels/card.ts';
import { samplesOf } from '../../src/render/samples.ts';
import { createLinks } from '../../src/render/links.ts';
import { type NoticeView, viewOf as viewOfNotice } from '../../src/render/view.ts';
import { noticeAbout, readFixture } from '../support/callbacks.ts';
import { BARE, LINKS } from './render-fixture.ts';

const LIVE: DisplayConfig = { timezone: 'Asia/Tokyo', language: 'en', links: LINKS };

function viewOf(callback: Callback, changes: Partial<DisplayConfig> = {}): NoticeView {
  const display = { ...LIVE, ...changes };
  return viewOfNotice(noticeAbout(callback, 1, display.timezone), display, createLinks(display));
}

const jobUrlOf = (callback: Callback, job: string) => viewOf(callback, { links: { job } }).job_url;
const outputsOf = (callback: Callback, changes?: Partial<DisplayConfig>): readonly OutputView[] =>
  viewOf(callback, changes).outputs?.() ?? [];
const withOutput = (output: Record<string, unknown>) => outputsOf({ ...BARE, output });
const filesOf = (...files: unknown[]) => withOutput({ f: { type: 'files', files } })[0]?.files ?? [];

describe('the variables of a template', () => {
  it('hold what came, and nothing where nothing came', () => {
    const view = viewOf(readFixture('nulls-and-extras.json'));
    const nothing = { elapsed: '', message: null, output: null };
    expect(view).to.include({ bot_id: 'nightly-report', ...nothing, attempt: 1 });
    expect(view).to.have.nested.property('callback.contract', 'example1');
    expect(view.outputs?.()).to.deep.equal([]);
  });

  it('say nothing of a time that no run takes, or of a start that is the zero of a program', () => {
    const elapsed = (elapsed_time: number) => viewOf({ ...BARE, elapsed_time }).elapsed;
    expect([-5, Infinity, -Infinity, 0].map(elapsed)).to.deep.equal(['', '', '', '0 s']);
    expect(viewOf({ ...BARE, start_time: '0001-01-01T00:00:00Z' }).started_at).to.equal('');
    const skipped = { ...BARE, start_time: '2026-03-08T02:30:00' };
    expect(viewOf(skipped, { timezone: 'America/New_York' }).started_at).to.include('03:30:00');
  });

  it('have no address of Botbell’s page for a job whose id no address has room for', () => {
    const pageUrl = 'https://bell.example';
    const pageOf = (job_id: string) => viewOf({ ...BARE, job_id }, { pageUrl }).page_url;
    expect(pageOf('請求 1')).to.equal('https://bell.example/callbacks?job_id=%E8%AB%8B%E6%B1%82%201');
    for (const id of ['', 'x'.repeat(4000), '請求'.repeat(1_000_000)]) expect(pageOf(id)).to.equal('');
  });

  it('have no address of which a value is absent or empty, unless it does without', () => {
    const tenant = 'https://example.com/{{ callback.tenant }}';
    for (const more of [{}, { tenant: null }, { tenant: '' }])
      expect(jobUrlOf({ ...BARE, ...more }, `${tenant}/{{ job_id }}`)).to.equal('');
    const otherwise = `{% if callback.tenant %}${tenant}{% else %}https://example.com/{{ job_id }}{% endif %}`;
    for (const [job, more, made] of [
      [`${tenant}/{{ job_id }}`, { tenant: 't' }, 't/j-1'],
      [otherwise, {}, 'j-1'],
      ['https://example.com/{{ job_id | url_encode }}', { job_id: '請求 1' }, '%E8%AB%8B%E6%B1%82%201'],
      ['https://example.com/{{ callback.tenant | default: "main" }}', {}, 'main'],
    ] as const)
      expect(jobUrlOf({ ...BARE, ...more }, job), job).to.equal(`https://example.com/${made}`);
    const links = { file: `${tenant}/{{ ref }}?of={{ size }}`, job: tenant };
    const output = { f: { type: 'files', files: [{ ref: 'a/b' }, { ref: 'c', meta: { size: 0 } }] } };
    const urlsOf = (callback: Callback) => outputsOf(callback, { links })[0]?.files.map(({ url }) => url);
    expect(urlsOf({ ...BARE, tenant: 't', output })).to.deep.equal(['', 'https://example.com/t/c?of=0']);
    expect(urlsOf({ ...BARE, output })).to.deep.equal(['', '']);
    links.file = 'https://example.com/{{ ref | remove: "a/" }}?of={{ ref | split: "/" | last }}';
    const made = ['https://example.com/b?of=b', 'https://example.com/c?of=c'];
    expect(urlsOf({ ...BARE, output }), 'by a part of the reference').to.deep.equal(made);
    const display = { ...LIVE, links };
    const alert = viewOfNotice(samplesOf('dead_letter')[0], display, createLinks(display));
    expect(alert.job_url, 'of an alert').to.equal('');
  });

  describe('sort the output values', () => {
    it('into scalars, lists, files and others, whatever their names, and find the files inside a list', () => {
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
      const namesIn = (name: string) => outputsOf(readFixture(name)).map((each) => each.name);
      expect(namesIn('hostile.json')).to.deep.equal(['<b>key</b>', '__proto__', 'constructor']);
      expect(withOutput({ ' \n': 'x' })[0]?.name).to.equal('–');
      const items = outputsOf(readFixture('succeeded.json'))[1];
      expect(items?.files.map(({ name }) => name)).to.deep.equal(['0001.jpg', '0002.jpg']);
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
      const sized = { ref: 'jobs/j/files/abc', meta: { size: -1 } };
      const files = filesOf(null, 5, 'x', {}, { ref: 7, meta: 'x' }, sized);
      const names = ['null', '5', '"x"', '{}', '{"ref":7,"meta":"x"}'].map((name) => [name, '', '']);
      const expected = [...names, ['abc', '', 'https://example.com/jobs/j/files/abc']];
      expect(files.map(({ name, size, url }) => [name, size, url])).to.deep.equal(expected);
    });
  });

  describe('with addresses', () => {
    it('escape what a link is made of, the slashes of a reference excepted', () => {
      const [file] = filesOf({ ref: 'jobs/a b/files/?x#y' });
      expect(file?.url).to.equal('https://example.com/jobs/a%20b/files/%3Fx%23y');
      const { job_url } = viewOf({ ...BARE, job_id: 'a/../b?c' });
      expect(job_url).to.equal('https://example.com/jobs/a%2F..%2Fb%3Fc');
    });

    it('lead nowhere by a reference that climbs, by a template that gives no address, or without one', () => {
      for (const ref of ['../../etc', 'jobs/../../x', 'jobs/..', './x', ''])
        expect(filesOf({ ref })[0]?.url, ref).to.equal('');
      for (const begin of ['javascript:alert(', 'ftp://a.test/', '', 'https://['])
        expect(jobUrlOf(BARE, `${begin}{{ job_id }}/`), begin).to.equal('');
      const [output] = outputsOf(readFixture('files.json'), { links: {} });
      expect([viewOf(BARE, { links: {} }).job_url, output?.files[0]?.url]).to.deep.equal(['', '']);
    });
  });
});
