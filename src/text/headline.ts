/** What an error message says, on one line: a stack trace may begin with words that say nothing. */
import { cleanLine } from './clean.ts';

/** Of either end of a text; the middle of a longer one is frames. */
const LOOKED_AT = 8000;

const LINE_BREAK = /[\r\n\u0085\u2028\u2029]+/u;

/** A longer line says something. */
const LONGEST_EMPTY_LINE = 300;

const TRACEBACK = /^Traceback \(most recent call last\):?$/u;

/** The words before a trace, the class of an exception alone, where it was thrown, and ruled lines. */
const SAYS_NOTHING = [
  TRACEBACK,
  /^(?:Exception in thread "[^"]*" |Unhandled exception[.:]? |Uncaught )?(?:[\w$]+\.)*[\w$]*(?:Exception|Error|Throwable):?$/u,
  /^(?:an )?(?:error|exception|stack ?trace)(?: occurred)?[.:]?$/iu,
  /^(?:エラー|例外|スタックトレース)(?:が発生しました)?[。：:]?$/u,
  /^\S+:\d+(?::\d+)?:?$/u,
  /^[-=*#_~`]+$/u,
];

const PYTHON_FRAME = /^\s*File ".*", line \d+/u;
const FRAME = /^\s+at \S|^\s*File ".*", line \d+/u;
const CAUSE = /^\s*Caused by: (.+)/u;
const NAMED_ERROR = /^(?:Uncaught )?[\w$.]*(?:Error|Exception)(?: \[\w+\])?: \S/u;
const NO_WORDS = /^(?:\s|at \S|\.\.\. \d+ |\^+$|Node\.js v\d)/u;

/**
 * All of the text on one line, or of a stack trace the line that says what went wrong: the first, and where that says
 * nothing (`Traceback (most recent call last):`) the last error or cause that is named. Clean; may be empty.
 */
export function headlineOf(text: string): string {
  const lines = endsOf(text)
    .split(LINE_BREAK)
    .filter((line) => cleanLine(line) !== '');
  const [first = '', ...others] = lines;
  if (saysNothing(first)) return cleanLine(tellingLine(lines) ?? lines.join(' '));
  if (!lines.some((line) => FRAME.test(line))) return cleanLine(lines.join(' '));
  const error = others.some(isTraceback) ? tellingLine(others) : undefined;
  return cleanLine(error === undefined ? first : `${first} ${error}`);
}

function endsOf(text: string): string {
  return text.length <= 2 * LOOKED_AT ? text : `${text.slice(0, LOOKED_AT)}\n${text.slice(-LOOKED_AT)}`;
}

function saysNothing(line: string): boolean {
  const words = line.trim();
  return words.length <= LONGEST_EMPTY_LINE && SAYS_NOTHING.some((pattern) => pattern.test(words));
}

function isTraceback(line: string): boolean {
  return TRACEBACK.test(line.trim());
}

function tellingLine(lines: readonly string[]): string | undefined {
  if (lines.some(isTraceback)) return pythonError(lines);
  const cause = lines.findLast((line) => CAUSE.test(line));
  return cause === undefined ? namedError(lines) : CAUSE.exec(cause)?.[1];
}

/** Behind the frames, and so behind what other exception it was raised for; what follows it are its own further lines. */
function pythonError(lines: readonly string[]): string | undefined {
  const frame = lines.findLastIndex((line) => PYTHON_FRAME.test(line));
  const behind = lines.slice(frame + 1).filter((line) => !isTraceback(line));
  if (/^\s/u.test(lines[frame] ?? '')) return behind.find((line) => !/^\s/u.test(line)) ?? behind.at(-1);
  // Where nothing is indented any more, the frame is followed by the source that it quotes.
  return frame === -1 || behind.length < 2 ? behind.at(-1) : behind[1];
}

/** Node names the error behind the place and the source line, and its own version last. */
function namedError(lines: readonly string[]): string | undefined {
  const speaking = lines.filter((line) => !saysNothing(line) && !NO_WORDS.test(line));
  return speaking.find((line) => NAMED_ERROR.test(line)) ?? speaking.at(-1);
}
