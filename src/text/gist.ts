/** An error message in one line: of a stack trace, the line that names the fault. And whether messages of different runs say the same. */
import { hash } from 'node:crypto';
import { cleanLine, cleanText, isBlank } from './clean.ts';
import { shortLine } from './cut.ts';
import { isJsonObject, keysOf } from './json.ts';
import { isPageOfHtml, titleIn } from './page.ts';

/** Characters of each end of a message that are read; a trace names its fault near one of them. */
const MOST_READ = 20_000;

const LETTER = /\p{L}/u;

/** Characters of a gist where it is kept and shown. */
const LONGEST = 300;

export interface Gist {
  /** One line; '' if nothing of the message is visible. */
  readonly gist: string;
  /** Whether it was found in a trace, a log or JSON, and is not in the message's first line. */
  readonly isBelow: boolean;
}

export function gistIn(message: string, limit = LONGEST): Gist {
  const text = cleanText(endsOf(message));
  const inJson = saidInJson(text);
  const lines = (inJson ?? text).split('\n');
  const said = faultIn(lines) ?? faultInLog(lines) ?? atErrorLevel(lines);
  const gist = shortLine(said ?? firstOf(lines), limit);
  const begin = cleanLine(text.split('\n').find((line) => !isBlank(line)) ?? '');
  return { gist, isBelow: (said ?? inJson) !== undefined && !begin.includes(gist.replace(/…$/, '')) };
}

/** Members of JSON that say what went wrong, or hold such members; the first that does counts. */
const SAYING = ['message', 'error_description', 'detail', 'msg', 'error', 'errors', 'title'];

/** The message in a text that is JSON as a whole; undefined if the text is not JSON, or has no message. */
function saidInJson(text: string): string | undefined {
  if (!/^\s*[{[]/u.test(text)) return undefined;
  try {
    return saidBy(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function saidBy(value: unknown): string | undefined {
  const said = typeof value === 'string' ? cleanText(value) : '';
  if (LETTER.test(said)) return said;
  if (Array.isArray(value)) return saidBy(value[0]);
  if (!isJsonObject(value)) return undefined;
  const keys = new Map(keysOf(value).map((key) => [key.toLowerCase(), key]));
  return SAYING.reduce<string | undefined>(
    (found, name) => found ?? saidBy(value[keys.get(name) ?? '']),
    undefined,
  );
}

const levelled = (upper: string, lower: string) =>
  new RegExp(
    `(?<![\\p{L}\\p{N}_])(?:${upper})(?![\\p{L}\\p{N}_])|(?:level|severity)"?[=:] ?"?(?:${lower})|[[【](?:${lower})`,
    'u',
  );
const CALM = levelled(
  'TRACE|DEBUG|INFO|NOTICE|WARN|WARNING',
  '[Tt]race|[Dd]ebug|[Ii]nfo|[Nn]otice|[Ww]arn|情報|警告',
);
const GRAVE = levelled('ERROR|FATAL|CRITICAL|SEVERE', '[Ee]rror|[Ff]atal|[Cc]ritical|エラー|致命');

/** In a log that begins at a calm level: the first line of an error, without its time. Else a labelled message. */
function atErrorLevel(lines: readonly string[]): string | undefined {
  const isLog = CALM.test(lines.find((line) => LETTER.test(line)) ?? '');
  const grave = isLog && lines.find((line) => GRAVE.test(line));
  return grave ? (saidInJson(grave) ?? grave.replace(LOGGED, '')) : lines.find((line) => LABELLED.test(line));
}

/** A line of a report that says which of its values is the message. */
const LABELLED = /^\s*(?:エラー\s?(?:内容|メッセージ)|(?:Error|Exception) [Mm]essage)\s?[:：]\s*\S/u;

/** What a log, or a collector of several logs, writes before each line. */
const LOGGED =
  /^(?:[\w.-]{1,60} +\| |\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?[ ,](?:- )?)/;

function faultIn(lines: readonly string[]): string | undefined {
  return WAYS.reduce<string | undefined>((found, way) => found ?? way(lines), undefined);
}

function faultInLog(lines: readonly string[]): string | undefined {
  if (!lines.some((line) => LOGGED.test(line))) return undefined;
  return faultIn(lines.map((line) => line.replace(LOGGED, '')));
}

/** @returns one line of at most `limit` characters; '' if nothing of the message is visible */
export function gistOf(message: string, limit = LONGEST): string {
  return gistIn(message, limit).gist;
}

/** A line that only announces what follows. */
const HEADING =
  /^[^\p{L}]*Traceback \(most recent call last\)|^\s*(?:\d+: from |│|\+{1,4} |<\?xml )|\d%\s?\|/u;

/** A heading: a colon at its end, brackets (`【エラー】`) or rows of signs around it, the bare word, or what SQL Server writes above a message. */
const HEADS =
  /(?:[:：]|^\s*[[【［][^\]】］]*[\]】］]|^\s*[-=*#<]{2,}[^-=*#<>]+[-=*#>]{2,}|^[^\p{L}\p{N}]*(?:error|fatal|エラー)[^\p{L}\p{N}]*|^(?:Msg|メッセージ) \d+[,、].*)\s*$/iu;

/** The first line with a letter; if it is a heading, the next line, too. */
function firstOf(lines: readonly string[]): string {
  const first = lines.findIndex((line) => LETTER.test(line) && !HEADING.test(line));
  if (first === -1) return inBox(lines) ?? lines.find((line) => !isBlank(line)) ?? '';
  const [line = '', ...below] = lines.slice(first);
  return HEADS.test(line) ? `${line} ${below.find((each) => /[\p{L}\p{N}]/u.test(each)) ?? ''}` : line;
}

/** The first line of a text that is drawn in a box as a whole. */
function inBox(lines: readonly string[]): string | undefined {
  return lines.find((line) => LETTER.test(line))?.replace(/^\s*│\s*/u, '');
}

function endsOf(message: string): string {
  if (message.length <= 2 * MOST_READ) return message;
  return `${message.slice(0, MOST_READ)}\n${message.slice(-MOST_READ)}`;
}

const WAYS: readonly ((lines: readonly string[]) => string | undefined)[] = [
  causeOf,
  afterPythonFrames,
  afterPowerShellMarks,
  beforePowerShellPlace,
  beforeFrames,
  titleOfPage,
];

/** A cause as Java (`Caused by:`), .NET (after an arrow) and JavaScript (in brackets) write it; the last one is the root cause. */
const CAUSE =
  /^\s*(?:Caused by: |---> |\[cause\]: (?=[\w$.]*(?:Error|Exception)\b))(?:\(Inner Exception #\d+\) )?(.+?)(?: \{)?$/;

/** A failure to close a resource, as Java prints it below another one; causes that are indented as deep are its own. */
const SUPPRESSED = /^\s*Suppressed: /;

function causeOf(lines: readonly string[]): string | undefined {
  const suppressed = lines.filter((line) => SUPPRESSED.test(line)).map(indentOf);
  const most = Math.min(Infinity, ...suppressed);
  const cause = lines.findLast((line) => CAUSE.test(line) && indentOf(line) < most);
  return cause && withoutArrow(CAUSE.exec(cause)?.[1] ?? '');
}

function indentOf(line: string): number {
  return line.search(/\S/);
}

/** .NET Framework writes all exceptions on one line, the inner ones behind arrows. */
function withoutArrow(line: string): string {
  return line.slice(line.lastIndexOf(' ---> ') + 1).replace(/^---> /, '');
}

/** The group is what stands before each line of the trace: a time, blanks, the bars of an exception group. */
const PYTHON_FRAME = /^(.*?) {2}File "[^"]*", line \d+/;

function afterPythonFrames(lines: readonly string[]): string | undefined {
  const frame = lines.findLastIndex((line) => PYTHON_FRAME.test(line));
  if (frame === -1) return undefined;
  const before = PYTHON_FRAME.exec(lines[frame] ?? '')?.[1]?.length ?? 0;
  const behind = lines.slice(frame + 1).map((line) => line.slice(before));
  const fault = behind.find((line) => /^\S/.test(line) && LETTER.test(line));
  // The trace was cut, and its last line is missing.
  return fault ?? lines.find((line) => LETTER.test(line) && !isOfPython(line));
}

function isOfPython(line: string): boolean {
  return /^\s|Traceback \(most recent call last\)/.test(line);
}

/** PowerShell 7: code, a line of tildes below it, and the message, all behind bars. */
function afterPowerShellMarks(lines: readonly string[]): string | undefined {
  const marks = lines.findLastIndex((line) => /^\s+\|\s+~+\s*$/.test(line));
  if (marks === -1) return undefined;
  const behind = lines.slice(marks + 1);
  const end = behind.findIndex((line) => !/^\s+\| /.test(line));
  const message = behind.slice(0, end === -1 ? undefined : end).map((line) => line.replace(/^\s+\|\s+/, ''));
  return message.join(' ') || undefined;
}

/** Windows PowerShell: the message, wrapped at the width of a window, above the place. */
const POWERSHELL_PLACE = /^(?:At .+:\d+ char:\d+|発生場所 .+:\d+ 文字:\s?\d+)/;

function beforePowerShellPlace(lines: readonly string[]): string | undefined {
  const place = lines.findIndex((line) => POWERSHELL_PLACE.test(line));
  if (place <= 0) return undefined;
  return lines.slice(paragraphAt(lines, place), place).join(' ') || undefined;
}

const FRAME = /^\s+(?:at|場所) \S.*(?:[)\]]|:\d+|行 \d+|line \d+)(?: \{)?\s*$/;
const BEGINNING =
  /^(?:Exception in thread "[^"]*" |Unhandled exception\.? ?|(?:ハンドル|処理)されていない例外: ?|Uncaught (?:\(in promise\) )?)/;
const FAULT = /^[\w$.]*(?:Error|Exception|Fault|Failure)(?: \[\w+\])?(?::|$)/;

/** JavaScript, Java and .NET: the last line above the frames that begins with the name of an error, else the first line of that paragraph. */
function beforeFrames(lines: readonly string[]): string | undefined {
  const frame = lines.findIndex((line) => FRAME.test(line));
  if (frame <= 0) return undefined;
  const above = lines.slice(0, frame).map((line) => line.replace(BEGINNING, ''));
  const fault = above.findLast((line) => FAULT.test(line)) ?? above[paragraphAt(lines, frame)];
  // A group of errors may say nothing by itself.
  const first = /^AggregateError\b.*:\s*$/.test(fault ?? '') && lines.slice(frame).find(isOfGroup);
  return first ? first.trim() : fault && withoutArrow(fault);
}

function isOfGroup(line: string): boolean {
  return /^\s+(?:\[errors\]: \[ )?\w*Error: ./.test(line);
}

/** The title of the HTML page that a server in trouble answers in place of data. */
function titleOfPage(lines: readonly string[]): string | undefined {
  const text = lines.join('\n');
  return isPageOfHtml(text) ? titleIn(text) : undefined;
}

/** Where the paragraph above `end` begins: after the last blank line. */
function paragraphAt(lines: readonly string[], end: number): number {
  return lines.slice(0, end).findLastIndex((line, index) => isBlank(line) && index < end - 1) + 1;
}

/** Characters of a message; the rest is not compared. */
const MOST_COMPARED = 100_000;

/** Characters of a job's id that are searched for; the rest is compared where they are found, so that no id takes long. */
const MOST_SEARCHED = 200;

/** A character of a word; none of Han, Hiragana and Katakana, in which no blanks separate words. */
const IN_WORD = '(?![\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}])[\\p{L}\\p{N}]';

/** A character of a generated name; none of scripts without blanks, or whole sentences would count as a name. */
const IN_NAME = '[\\p{Script=Latin}\\p{Nd}_]';

/** A pattern that does not match within a longer word. */
function word(pattern: string): string {
  return `(?<!${IN_WORD})(?:${pattern})(?!${IN_WORD})`;
}

const VARYING = new RegExp(
  [
    word('[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'),
    // A number with its unit is no name: `70ms` and `1204ms` are alike.
    '\\p{Nd}+(?=(?:[µnm]?s|secs?|m|mins?|h|hrs?|d|[kmgt]?i?b|[ap]m)(?!_|' + IN_WORD + '))',
    `(?<!${IN_NAME})(?=[\\p{Nd}_]*\\p{Script=Latin})(?=[\\p{Script=Latin}_]*\\p{Nd})${IN_NAME}{5,}`,
    word('(?:0x)?[0-9a-f]{8,}'),
    word(
      'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?',
    ),
    word('(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?'),
    word('[ap]m|utc|gmt'),
    '[(（][月火水木金土日][)）]|午[前後]',
    '\\p{Nd}+',
  ].join('|'),
  'giu',
);

/** The parts of one date, time, address or number, which become one: `#-#-#T#:#:#Z`. */
const TOGETHER = /#(?:[-/.:,+t ]{0,2}#|z(?!\p{L}))*/giu;

/**
 * A hash that is the same for messages that differ only in digits, dates and times, UUIDs, hexadecimal of eight or more
 * characters, names of five or more that mix letters and digits, or the id of their job.
 */
export function likenessOf(message: string, jobId: string): string {
  const compared = message.slice(0, MOST_COMPARED);
  const isOnlyDigits = /^\p{Nd}*$/u.test(jobId);
  const common = isOnlyDigits ? compared : withoutId(compared, jobId);
  const alike = [VARYING, TOGETHER].reduce((text, varying) => text.replaceAll(varying, '#'), common);
  return hash('sha256', alike, 'base64url');
}

/** The text with `#` for each id that is no part of a longer word. */
function withoutId(text: string, id: string): string {
  const searched = id.slice(0, MOST_SEARCHED);
  const kept: string[] = [];
  let begin = 0;
  for (let at = text.indexOf(searched); at !== -1;) {
    const end = at + id.length;
    const isFound = text.startsWith(id, at) && !isWithinWord(text, at, end);
    if (isFound) kept.push(text.slice(begin, at));
    if (isFound) begin = end;
    at = text.indexOf(searched, isFound ? end : at + (id === searched ? 1 : MOST_SEARCHED));
  }
  return [...kept, text.slice(begin)].join('#');
}

const ENDS_IN_WORD = new RegExp(`${IN_WORD}$`, 'u');
const BEGINS_IN_WORD = new RegExp(`^${IN_WORD}`, 'u');

function isWithinWord(text: string, begin: number, end: number): boolean {
  return (
    ENDS_IN_WORD.test(text.slice(Math.max(0, begin - 2), begin)) ||
    BEGINS_IN_WORD.test(text.slice(end, end + 2))
  );
}
