import { expect } from 'chai';
import fc from 'fast-check';
import { headlineOf } from '../../src/text/headline.ts';

const PYTHON = [
  'Traceback (most recent call last):',
  '  File "bot.py", line 31, in <module>',
  '    import_rows(path)',
  '    ~~~~~~~~~~~^^^^^^',
  '  File "rows.py", line 7, in import_rows',
  '    raise ValueError("no rows in 2026-10.csv")',
  'ValueError: no rows in 2026-10.csv',
].join('\n');

const MESSAGES: readonly (readonly [string, string, string])[] = [
  ['a message of one line', 'Login failed', 'Login failed'],
  ['a message of several lines', 'Login failed\n\n  step 3', 'Login failed step 3'],
  ['a traceback', PYTHON, 'ValueError: no rows in 2026-10.csv'],
  [
    'an error of several lines behind a traceback',
    `${PYTHON}\n\nExpected columns:\n  id, price`,
    'ValueError: no rows in 2026-10.csv',
  ],
  [
    'an error raised while another was handled',
    `${PYTHON}\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "bot.py", line 33, in <module>\n    stop()\nRuntimeError: import stopped`,
    'RuntimeError: import stopped',
  ],
  [
    'a traceback that lost its indentation',
    PYTHON.replaceAll('    ~~~~~~~~~~~^^^^^^\n', '').replaceAll(/^ +/gm, ''),
    'ValueError: no rows in 2026-10.csv',
  ],
  ['a traceback without frames', 'Traceback (most recent call last):\nKeyError: 7', 'KeyError: 7'],
  [
    'words before a traceback',
    `Step 3 failed:\n${PYTHON}`,
    'Step 3 failed: ValueError: no rows in 2026-10.csv',
  ],
  [
    'a Java trace that begins with the error',
    'java.lang.IllegalStateException: order 5 is closed\n\tat shop.Orders.add(Orders.java:12)\n\t... 3 more',
    'java.lang.IllegalStateException: order 5 is closed',
  ],
  [
    'a Java trace that begins with a class alone',
    'Exception in thread "main" java.lang.reflect.InvocationTargetException\n\tat a.B.c(B.java:1)\nCaused by: java.io.IOException: wrapped\n\tat a.B.d(B.java:2)\nCaused by: java.net.ConnectException: refused\n\t... 9 more',
    'java.net.ConnectException: refused',
  ],
  [
    'what Node prints of an error that nobody caught',
    "/app/bot.js:3\nthrow new Error('no rows');\n^\n\nError: no rows\n    at Object.<anonymous> (/app/bot.js:3:7)\n\nNode.js v20.19.0",
    'Error: no rows',
  ],
  [
    'an error of Node itself',
    "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module 'x'\nRequire stack:\n- /app/bot.js\n    at Module._load (node:internal/modules/cjs/loader:1225:15) {\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v20.19.0",
    "Error: Cannot find module 'x'",
  ],
  ['a heading alone', 'エラーが発生しました。\n明細がありません', '明細がありません'],
  ['a ruled line', '-----\nno rows\n-----', 'no rows'],
  ['nothing that says more', 'Error:', 'Error:'],
  ['nothing at all', ' \n\t', ''],
];

describe('the headline of an error message', () => {
  for (const [what, message, expected] of MESSAGES) {
    it(`says what went wrong, of ${what}`, () => {
      expect(headlineOf(message)).to.equal(expected);
    });
  }

  it('is one line of the message, whatever it is', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...PYTHON.split('\n'), 'Caused by: x', '    at a (b:1)', 'Error:', '^', '/a.js:3'),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const headline = headlineOf(lines.join('\n'));
        expect(headline).not.to.match(/[\r\n\u0085\u2028\u2029]|^ | $/u);
        if (lines.some((each) => /\w/u.test(each))) expect(headline).not.to.equal('');
      }),
    );
  });

  it('is found at the end of megabytes of frames', () => {
    const frames = '  File "bot.py", line 5, in again\n    again()\n'.repeat(200_000);
    const message = `Traceback (most recent call last):\n${frames}RecursionError: too deep`;
    expect(headlineOf(message)).to.equal('RecursionError: too deep');
  });
});
