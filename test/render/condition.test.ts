import { expect } from 'chai';
import { SpeltNumber } from '../../src/text/json.ts';
import { conditionFault, Conditions } from '../../src/render/condition.ts';

const VIEW = {
  bot_id: 'daily',
  status: 0,
  message: null,
  output: {
    件数: '10',
    金額: '１，２３４．５０',
    total: '-12,345',
    pair: '1,23',
    name: 'x',
    list: [1, 2],
    'a b': 3,
    rate: new SpeltNumber('1.10'),
    nothing: null,
    blank: '',
    empty: [],
    no: false,
  },
};

describe('A condition', () => {
  const conditions = new Conditions({ timezone: 'UTC', language: 'en', links: {} });

  const HOLDS = [
    'output.件数 == 10',
    'output.件数 > 9',
    '9.5 < output.件数 and output.件数 <= "10"',
    "output.件数 != ' 11 '",
    'output.name == "x" or nothing.at_all > 3',
    'output.金額 > 1234 and output.金額 == "1,234.5"',
    'output.total < -12344',
    'output.list contains 2',
    'output["a b"] == 3',
    'not message',
    'output.list.size == 2',
    'bot_id contains "ai"',
    'output.rate == 1.1',
    'output.rate == "1.100" and output.rate < 1.2',
    'output.name > "w" and output.blank <= ""',
    'output.nothing == nil and output.nothing != 0',
  ];
  for (const text of HOLDS) it(`holds: ${text}`, () => expect(conditions.holds(text, VIEW)).to.equal(true));

  const NOT = [
    'output.件数 == 1',
    'output.件数 < 9',
    'output.missing == 0',
    'message',
    'output.name > 3',
    'output.pair > 3',
    ...['nothing', 'missing', 'blank', 'empty', 'no'].map((of) => `output.${of} < 5`),
    ...['nothing', 'missing', 'blank', 'empty', 'no'].map((of) => `-1 <= output.${of}`),
  ];
  for (const text of NOT)
    it(`does not hold: ${text}`, () => expect(conditions.holds(text, VIEW)).to.equal(false));

  const RIGHT = [
    'output.件数 == 0',
    'not message and output.a',
    'callback.x.y == "%"',
    "message == 'it\\'s' or message == \"it's (1, 2) | a: [b.\"",
    '(1..3) contains status and output["a b"][0].c == 1.5',
    'message | replace: "a", "b" | size',
    'message == "“x”" or output.l’heure',
  ];
  for (const text of RIGHT) it(`is right: ${text}`, () => expect(conditionFault(text)).to.equal(undefined));

  const WRONG: Readonly<Record<string, readonly string[]>> = {
    'without {{ }} and {% %}': ['{{ output.a }} == 0', 'true %}{% include "x"'],
    'compared by ==': ['output.a = 0', 'output.a === 0', 'a <> 0', 'status == 1 && code == 2', 'code || a'],
    'a condition is a value': ['output.a ==', 'and output.a', '', ' \n ', 'output.a output.b', '== 0'],
    'this quote is not closed': ['message contains "x', "\n  message == 'it\\'s", 'code or bot_id == "b\\"'],
    'typographic quotes': ['message == “x”', 'message == ‘x’', 'message contains “a b”'],
    parentheses: ['status == 1)', "(message == 'x')", '(status == 1) and (1..3) contains code', 'size()'],
    'something is missing': ['status == 1,', 'output.', 'output.a. == 1', 'code |', 'message | fit: | size'],
    'a comma stands': ['status == 1, 2', 'message | size, 3'],
    'a value begins with the name': ['[0] == 1'],
    'not closed': ['output["a" == 1'],
    'there is no variable "outptu"; did you mean "output"?': ['outptu.a == 0'],
    'there is no variable "jobid"; did you mean "job_id"?': ['true and\n  jobid == 1'],
    'there is no filter "upcas"; did you mean "upcase"?': ['output.a | upcas'],
  };
  for (const [message, texts] of Object.entries(WRONG))
    for (const text of texts)
      it(`is wrong: ${JSON.stringify(text)}`, () => {
        expect(conditionFault(text)?.in('en')).to.include(message);
        expect(conditionFault(text)?.in('ja')).to.match(/[ぁ-ん]/u);
      });
});
