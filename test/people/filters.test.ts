import { expect } from 'chai';
import { filterQuery, readFilter, type FilterContext } from '../../src/people/filters.ts';
import { CALLBACK_RESULTS } from '../../src/ledger/ledger.ts';
import { problemsIn } from './problems.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const CONTEXT: FilterContext = { timezone: 'Asia/Tokyo', now: NOW };

function read(query: string, context: Partial<FilterContext> = {}) {
  return readFilter(new URLSearchParams(query), { ...CONTEXT, ...context });
}

function filterOf(query: string, context: Partial<FilterContext> = {}) {
  const { filter, page } = read(query, context);
  return JSON.parse(JSON.stringify({ ...filter, ...page })) as unknown;
}

const problemsOf = (query: string) => problemsIn(() => read(query));
const at = (iso: string) => Date.parse(iso);

describe('a list’s query', () => {
  it('says which callbacks are meant', () => {
    expect(
      filterOf(
        'search=%E8%AB%8B%E6%B1%82&bot_id=get_items&job_id=job-1&status=error&state=dead&result=gave_up&destination=slack%3A%23ops&from=2026-03-01&to=2026-03-02&before=17&limit=500&error_class=none&error_code=550',
      ),
    ).to.deep.equal({
      search: '請求',
      botId: 'get_items',
      jobId: 'job-1',
      status: 1,
      state: 'dead',
      result: 'gave_up',
      destination: 'slack:#ops',
      errorClass: '',
      errorCode: '550',
      from: at('2026-03-01T00:00:00+09:00'),
      to: at('2026-03-02T23:59:59.999+09:00'),
      before: 17,
      limit: 500,
    });
  });

  for (const [query, filter] of [
    // What a form leaves empty is not given.
    ['job_id=+job-1+', { jobId: ' job-1 ' }],
    ['bot_id=&job_id=+&status=&limit=&state=&state=', {}],
    // The ledger has text without controls.
    ['bot_id=a%00b%E2%80%AE', { botId: 'ab' }],
    // A status has a name and a number.
    ['status=succeeded', { status: 0 }],
    ['status=error', { status: 1 }],
    ['status=executing', { status: 2 }],
    ['status=0', { status: 0 }],
    ['status=2', { status: 2 }],
    // A time is a day, a time with or without an offset, or how long ago.
    ['from=2026-03-01', { from: at('2026-02-28T15:00:00Z') }],
    ['from=2026-03-01T09:30', { from: at('2026-03-01T00:30:00Z') }],
    ['from=2026-03-01T09:30:15Z', { from: at('2026-03-01T09:30:15Z') }],
    ['from=2026-03-01T09:30%2B01:00', { from: at('2026-03-01T08:30:00Z') }],
    ['from=2026-03-01T09:30+01:00', { from: at('2026-03-01T08:30:00Z') }],
    ['from=2026-03-01+09:30', { from: at('2026-03-01T00:30:00Z') }],
    ['from=2026-03-01+09:30+01:00', { from: at('2026-03-01T08:30:00Z') }],
    ['from=2d', { from: at('2026-03-08T12:00:00Z') }],
    ['from=1h30m', { from: at('2026-03-10T10:30:00Z') }],
    ['from=99999d', { from: 0 }],
  ] as const)
    it(`is read as it is meant: ${query}`, () => expect(filterOf(query)).to.deep.equal(filter));

  it('lets a day end where the next one begins, also on a day of 23 hours', () => {
    const { filter } = read('to=2026-03-29', { timezone: 'Europe/Berlin' });
    expect(filter.to).to.equal(at('2026-03-29T21:59:59.999Z'));
  });

  it('says all that is wrong with it at once, and nothing of the values', () => {
    const query =
      'status=failed&state=lost&result=ok&destination=ops&from=2026-02-30&to=soon&before=-1&limit=501&botid=x&job_id=a&job_id=b';
    expect(problemsOf(query)).to.deep.equal([
      'status must be one of succeeded, error, executing',
      'state must be one of pending, delivered, dead, held',
      `result must be one of ${CALLBACK_RESULTS.join(', ')}`,
      'destination must be a channel and an address, such as slack:#ops; in a URL, "#" is written %23',
      'from must be a day (2026-01-31), a time (2026-01-31T09:00, with or without an offset), or how long ago (2d, 12h)',
      'to must be a day (2026-01-31), a time (2026-01-31T09:00, with or without an offset), or how long ago (2d, 12h)',
      'before must be the "next" of another page',
      'limit must be a whole number from 1 to 500',
      'botid is no parameter of this',
      'job_id is given twice',
    ]);
  });

  const wrong =
    'limit=0 limit=1e2 limit=1.5 before=9007199254740993 status=3 constructor=1 __proto__=2 before=0';
  for (const query of wrong.split(' '))
    it(`refuses ${query}`, () => expect(problemsOf(query)).to.have.length(1));

  it('is written back so that it is read as the same', () => {
    const given = read(
      'bot_id=請求&status=2&destination=email%3Aa%2Bb%40x.example&from=2d&to=2026-03-10T22:00',
    );
    const query = filterQuery(given.filter);
    expect(query.get('status')).to.equal('executing');
    expect(read(query.toString(), { now: NOW + 1e6, timezone: 'UTC' })).to.deep.equal(given);
    expect(filterQuery({}).toString()).to.equal('');
  });
});
