/** What is wrong with a refused body, in Japanese. */
import { expect } from 'chai';
import fc from 'fast-check';
import { createCallbackCheck } from '../../src/callback/check-callback.ts';
import { decodeBody, UndecodableBody } from '../../src/callback/decode.ts';
import { faultInJapanese, refusalInJapanese } from '../../src/callback/fault-words.ts';
import { type CallbackError, InvalidCallback } from '../../src/callback/callback.ts';

const check = createCallbackCheck('Asia/Tokyo');

function errorsOf(value: unknown): readonly CallbackError[] {
  try {
    check(value);
    return [];
  } catch (error) {
    if (error instanceof InvalidCallback) return error.errors;
    throw error;
  }
}

function undecodable(body: string | Uint8Array): string {
  try {
    decodeBody(Buffer.from(body));
  } catch (error) {
    if (error instanceof UndecodableBody) return error.message;
  }
  throw new Error('it can be read');
}

describe('a fault of a callback, in Japanese', () => {
  it('says what is missing, and what was found instead of what', () => {
    const said = errorsOf({
      code: '1',
      job_id: 5,
      bot_id: null,
      bot_name: [],
      status: 7,
      start_time: 'x',
      output: 'y',
      message: {},
    }).map(({ pointer, detail }) => `${pointer}${faultInJapanese(detail)}`);
    expect(said.toSorted()).to.deep.equal(
      [
        '/code は整数である必要がありますが、文字列「1」でした',
        '/job_id は文字列である必要がありますが、数値 5でした',
        '/bot_id は文字列である必要がありますが、nullでした',
        '/bot_name は文字列である必要がありますが、配列でした',
        '/status は0、1、2のいずれかである必要がありますが、数値 7でした',
        '/start_time は実在するISO 8601の日時（例: 2026-11-20T09:00:00+09:00）である必要がありますが、文字列「x」でした',
        '/output はオブジェクトである必要がありますが、文字列「y」でした',
        '/message は文字列である必要がありますが、オブジェクトでした',
      ]
        .map((line) => line.replace(' は', 'は'))
        .toSorted(),
    );
    expect(errorsOf({}).map(({ detail }) => faultInJapanese(detail))).to.include(
      'がありません（文字列が必要です）',
    );
  });

  it('is known of whatever the check may find', () => {
    const names = [
      'code',
      'job_id',
      'bot_id',
      'bot_name',
      'status',
      'start_time',
      'elapsed_time',
      'output',
      'message',
    ];
    const values = fc.oneof(fc.jsonValue(), fc.constantFrom('', '"', 'must be a string, found', true, 1.5));
    const bodies = fc.oneof(values, fc.dictionary(fc.constantFrom(...names), values));
    fc.assert(
      fc.property(bodies, (body) => {
        for (const { detail } of errorsOf(body)) {
          expect(faultInJapanese(detail), detail).not.to.equal('の形式が正しくありません');
        }
      }),
      { numRuns: 300 },
    );
  });

  it('of a nesting too deep names the limit', () => {
    const deep = JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`) as unknown;
    const [error] = errorsOf({ extra: deep });
    expect(faultInJapanese(error?.detail ?? '')).to.equal('の入れ子が64段を超えています');
  });

  it('repeats no English that it does not know', () => {
    expect(faultInJapanese('has a problem of a new kind')).to.equal('の形式が正しくありません');
  });
});

describe('a refused body, in Japanese', () => {
  it('is said to be no JSON, and where', () => {
    expect(refusalInJapanese(400, undecodable(''))).to.match(/^本文が空です/);
    expect(refusalInJapanese(400, undecodable('{"a":'))).to.equal(
      '本文がJSONではありません（途中で途切れています）。',
    );
    expect(refusalInJapanese(400, undecodable('{"charset": x}'))).to.match(/^本文がJSONではありません/);
    expect(refusalInJapanese(400, undecodable(Uint8Array.of(0xff)))).to.equal('本文がUTF-8ではありません。');
  });

  it('is said to be too large, of another type, or something else', () => {
    expect(refusalInJapanese(413, 'The body is larger than 100 bytes, the most that is taken.')).to.equal(
      '本文が大きすぎます（上限は100バイトです）。',
    );
    expect(
      refusalInJapanese(415, 'This body is not what is read here: its Content-Encoding is not known.'),
    ).to.match(/^本文の形式/);
    expect(refusalInJapanese(499, 'A new problem.')).to.equal('受け付けられない内容です。');
  });
});
