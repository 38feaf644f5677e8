/** The one line of an error message that says what happened: of traces as programs write them, and of any other text. */
import { expect } from 'chai';
import fc from 'fast-check';
import { cleanLine, cleanText, isBlank } from '../../src/text/clean.ts';
import { gistIn, gistOf } from '../../src/text/gist.ts';
import { hostileText } from './hostile-text.ts';

/** What each comes to is between ⟦ and ⟧. */
const TRACES: Readonly<Record<string, string>> = {
  'Python, one error in the handling of another, after a line of a log, with more below': `2026-11-28 09:00:01 ERROR job failed
Traceback (most recent call last):
  File "a.py", line 1, in f
    int("x")
    ~~~^^^^^
ValueError: invalid literal for int() with base 10: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 3, in <module>
    raise RuntimeError("請求書を取得できません")
⟦RuntimeError: 請求書を取得できません⟧
see the log`,
  'Python of Selenium, whose message has lines of its own': `Traceback (most recent call last):
  File "bot.py", line 31, in click
    driver.find_element(By.ID, "go").click()
⟦selenium.common.exceptions.NoSuchElementException: Message: no such element: {"selector":"#go"}⟧
  (Session info: chrome=131.0.6778.85)
Stacktrace:
#0 0x5581c1b5f8ca <unknown>`,
  'Java, as a cluster gathers the lines of several programs': `web-1  | java.lang.IllegalStateException: no store
web-1  | \tat com.example.Store.open(Store.java:10)
web-1  | Caused by: ⟦java.net.SocketException: Connection reset⟧
web-1  | \tat java.base/java.net.SocketInputStream.read(SocketInputStream.java:186)`,
  'JavaScript, each line behind the time of a log': `2026-11-26T09:00:01.123Z the job began
2026-11-26T09:00:02.456Z ⟦TypeError: x is not a function⟧
2026-11-26T09:00:02.456Z     at run (/app/bot.js:12:14)`,
  'a page of HTML, whose title says it':
    '<!DOCTYPE html>\n<html>\n<head><title>⟦502 Bad Gateway⟧</title></head>\n<body>nginx</body></html>',
  'a title that is no page’s': '⟦No <title>Login</title>⟧',
  'a box around all of it': `╷
│ ⟦Error: Invalid index⟧
│
│   on a.tf line 3
╵`,
  'Python, all of it indented': `ERROR job failed
    Traceback (most recent call last):
      File "x.py", line 1, in <module>
        f()
    ⟦ValueError: bad row⟧`,
  'Python in a box, of which there is no more than what follows': `╭───────── Traceback (most recent call last) ──────────╮
│ /app/x.py:3 in <module>                               │
╰───────────────────────────────────────────────────────╯
⟦ValueError: bad row⟧`,
  'Java that failed besides, while it closed what it had open': `⟦java.sql.SQLException: connection lost⟧
\tat com.example.Db.query(Db.java:40)
\tSuppressed: java.lang.IllegalStateException: pool closed
\t\tat com.example.Db.close(Db.java:60)
\tCaused by: java.io.IOException: broken pipe
\t\tat java.base/x.Y.z(Y.java:1)`,
  'Java with a cause behind what failed besides': `java.sql.SQLException: connection lost
\tat com.example.Db.query(Db.java:40)
\tSuppressed: java.lang.IllegalStateException: pool closed
\t\tat com.example.Db.close(Db.java:60)
Caused by: ⟦java.net.SocketException: Connection reset⟧
\tat java.base/java.net.SocketInputStream.read(SocketInputStream.java:186)`,
  'JavaScript, a group of errors that says nothing by itself': `AggregateError [ECONNREFUSED]: 
    at internalConnectMultiple (node:net:1122:18) {
  [errors]: [
    ⟦Error: connect ECONNREFUSED ::1:5432⟧
        at createConnectionError (node:net:1652:14)
  ]
}`,
  '.NET, a group of errors': `System.AggregateException: One or more errors occurred. (Access denied)
 ---> System.Net.Http.HttpRequestException: Connection refused (localhost:5432)
   --- End of inner exception stack trace ---
 ---> (Inner Exception #1) ⟦System.UnauthorizedAccessException: Access denied⟧
   at X.Y()<---`,
  'Ruby, the frames first': `Traceback (most recent call last):
\t1: from /app/import.rb:18:in \`each'
⟦/app/import.rb:12:in \`load': undefined method \`id' for nil:NilClass (NoMethodError)⟧`,
  'a heading, and below it what it is about': "⟦実行時エラー '1004':\n\nアプリケーション定義のエラーです。⟧",
  'a heading in rows of signs': '⟦===== バックアップ =====\n\n容量不足⟧',
  'a heading that says no more than that it is an error': `⟦❌ Error!
disk full⟧`,
  'Python, cut before its last line': `Traceback (most recent call last):
  File "w.py", line 1, in e
⟦ValueError: bad row⟧

Traceback (most recent call last):
  File "x.py", line 1, in f
    g()`,
  Java: `Exception in thread "main" java.lang.IllegalStateException: no store
\tat com.example.Store.open(Store.java:10)
Caused by: org.postgresql.util.PSQLException: The connection attempt failed.
\tat org.postgresql.Driver.connect(Driver.java:260)
\t... 3 more
Caused by: ⟦java.net.UnknownHostException: db.example⟧
\tat java.base/sun.nio.ch.NioSocketImpl.connect(NioSocketImpl.java:567)
\t... 9 more`,
  'Java without a cause': `Exception in thread "main" ⟦java.lang.NullPointerException: Cannot invoke "String.length()" because "<local1>" is null⟧
\tat Main.main(Main.java:5)`,
  'JavaScript of Playwright, with a log above the frames': `⟦TimeoutError: page.click: Timeout 30000ms exceeded.⟧
Call log:
  - waiting for locator('#login')

    at login (/app/bot.ts:12:14)`,
  'JavaScript, an error without a name':
    '3回目\n\n⟦ログインできません⟧\n再試行なし\n\n    at login (/app/bot.ts:12:14)',
  '.NET': `Unhandled exception. ⟦System.IO.FileNotFoundException: Could not find file 'C:\\in.csv'.⟧
File name: 'C:\\in.csv'
   at Microsoft.Win32.SafeHandles.SafeFileHandle.Open(String path)
   at Program.<Main>$(String[] args) in C:\\src\\Program.cs:line 3`,
  '.NET in Japanese': `ハンドルされていない例外: ⟦System.IO.FileNotFoundException: ファイル 'C:\\in.csv' が見つかりませんでした。⟧
   場所 System.IO.__Error.WinIOError(Int32 errorCode, String maybeFullPath)
   場所 Bot.Program.Main(String[] args) 場所 C:\\src\\Program.cs:行 12`,
  'the .NET Framework, with all on one line': `System.Exception: 保存できません ---> ⟦System.IO.IOException: ディスクがいっぱいです⟧
   場所 Bot.Save()
   --- 内部例外スタック トレースの終わり ---
   場所 Bot.Run()`,
  'Windows PowerShell': `⟦Get-Content : Cannot find path 'C:\\x.txt' because it does
not exist.⟧
At C:\\scripts\\run.ps1:3 char:1
+ Get-Content C:\\x.txt
+ ~~~~~~~~~~~~~~~~~~~~
    + CategoryInfo          : ObjectNotFound: (C:\\x.txt:String) [Get-Content], ItemNotFoundException
    + FullyQualifiedErrorId : PathNotFound,Microsoft.PowerShell.Commands.GetContentCommand`,
  'Windows PowerShell in Japanese': `処理を開始します

⟦Get-Content : パス 'C:\\x.txt' が存在しないため検出できません。⟧
発生場所 C:\\scripts\\run.ps1:3 文字:1
+ Get-Content C:\\x.txt
+ ~~~~~~~~~~~~~~~~~~~~`,
  'PowerShell 7': `Get-Content: /app/run.ps1:3
Line |
   3 |  Get-Content /x.txt
     |  ~~~~~~~~~~~~~~~~~~
     | ⟦Cannot find path '/x.txt' because it does not exist.⟧

The job ended`,
  'PowerShell 7, which ends with it': `Line |
   3 |  gc x
     |  ~~~~
     | ⟦No path⟧`,
  'JavaScript with causes, the last of which is where it began': `Error: cannot load the order
    at load (/app/a.js:3:9) {
  [cause]: TypeError: fetch failed
      at node:internal/deps/undici/undici:13185:13 {
    [cause]: ⟦Error: getaddrinfo ENOTFOUND api.example.com⟧
        at GetAddrInfoReqWrap.onlookupall [as oncomplete] (node:dns:122:26) {
      code: 'ENOTFOUND'
    }
  }
}`,
  'a log that begins calmly: the first line of an error': `2026-11-28 09:00:01 [INFO ] シナリオを開始しました
2026-11-28 09:00:31 ⟦[ERROR] ウィンドウが見つかりません: 売上管理システム⟧
2026-11-28 09:00:31 [ERROR] シナリオが異常終了しました
2026-11-28 09:00:31 [INFO ] シナリオを終了しました`,
  'a log in columns':
    '2026/11/28 09:00:01,INFO,処理開始\n2026/11/28 09:00:02,⟦ERROR,ログインに失敗しました（ユーザー: robot01）⟧',
  'a log whose lines are JSON':
    '{"level":"Info","msg":"start"}\n{"level":"Error","msg":"⟦login failed: wrong password⟧"}',
  'a log behind what says it': `⟦One failed⟧
INFO two
ERROR three`,
  'JSON: its message, however deep': `{
  "error": {
    "code": "InvalidTemplate",
    "message": "⟦The template function 'int' has a parameter that cannot be converted.⟧"
  }
}`,
  'JSON whose message is a trace': JSON.stringify({
    Message: 'Traceback (most recent call last):\n  File "x.py", line 1, in f\n⟦ValueError: bad row⟧',
  }),
  'JSON of OAuth': '{"error":"invalid_client","error_description":"⟦wrong secret⟧"}',
  'JSON of a problem': '{"type":"about:blank","title":"⟦Not there⟧","status":404}',
  'JSON of several errors': '[{"code":12,"errors":[{"detail":"⟦no such customer⟧"}]}]',
  'JSON that says nothing in words': '⟦{"code":12,"message":"42"}⟧',
  'a report of values, one of which is the message':
    '===== エラー詳細 =====\n発生日時: 2026/11/28 09:00:01\n⟦エラー内容: ファイルが見つかりません（C:\\in.csv）⟧',
  'SQL Server, whose message stands below its number':
    "⟦メッセージ 2627、レベル 14、状態 1、行 3\n制約 'PK_Items' の PRIMARY KEY 違反。⟧",
  'a shell that shows each command, and a progress bar':
    '+ set -e\nGet 100%|####| 10/10\n⟦ERROR: checksum mismatch⟧',
  'anything else: the first line with a letter':
    '\n----------\n 42 \n⟦The page did not open⟧\nat 10:30 (again)\nLine 3: no login',
};

const messageIn = (trace = '') => trace.replace(/[⟦⟧]/g, '');
const saidIn = (trace = '') => trace.replace(/^[^]*⟦|⟧[^]*$/g, '').replace(/\s*\n\s*/g, ' ');

describe('what an error message says in one line', () => {
  for (const [program, trace] of Object.entries(TRACES))
    it(`is found in what a program writes: ${program}`, () => {
      for (const lineEnd of ['\n', '\r\n'])
        expect(gistOf(messageIn(trace).replaceAll('\n', lineEnd), 300)).to.equal(saidIn(trace));
    });

  for (const [message, isBelow] of [
    ['\n \nTypeError: no page\n    at f (/a.js:1:1)', false],
    [`TypeError: no ${'page '.repeat(80)}\n    at f (/a.js:1:1)`, false],
    ['{\n"error":"no page"}', true],
    ['IOException: got 500\n\tat A.b(A.java:1)\nCaused by: IOException: got 502', true],
  ] as const)
    it(`is told apart from the message's first line: ${message.slice(0, 30)}`, () => {
      expect(gistIn(message).isBelow).to.equal(isBelow);
    });

  it('is found however much stands above it or below the frames', () => {
    const much = 'x = 1\n'.repeat(20_000);
    const python = TRACES['Python of Selenium, whose message has lines of its own'];
    expect(gistOf(much + messageIn(python), 300)).to.equal(saidIn(python));
    const script = TRACES['JavaScript, an error without a name'];
    const frames = '\n    at next (/app/bot.ts:1:1)'.repeat(20_000);
    expect(gistOf(messageIn(script) + frames, 300)).to.equal(saidIn(script));
  });

  it('is one line of any text, no longer than asked, and never nothing where there is something', () => {
    const trace = fc.constantFrom(...Object.values(TRACES).map(messageIn));
    const text = fc
      .array(fc.oneof(hostileText(20), trace), { maxLength: 4 })
      .map((parts) => parts.join('\n'));
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 400 }), (message, limit) => {
        const line = gistOf(message, limit);
        expect(line.length).to.be.at.most(limit);
        expect(line).to.equal(cleanLine(line));
        expect(line === '').to.equal(isBlank(cleanText(message)));
      }),
    );
    expect(gistOf(' \n-- 404 --\n', 300)).to.equal('-- 404 --');
    expect(gistOf('<html><title> </title>', 300)).to.equal('<html><title> </title>');
  });
});
