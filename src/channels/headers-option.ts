/** The setting `headers`: what is sent beside what Botbell sets by itself. */
import { mixed } from 'yup';
import { type Fault, faultsOf } from '../text/fault.ts';
import { isJsonObject } from '../text/json.ts';

interface HeaderRules {
  readonly name: RegExp;
  readonly value: RegExp;
  /** Those that Botbell sets, or what carries the message. */
  readonly taken: RegExp;
  /** What a name and its value have to be: `a value of …`. */
  readonly rule: Fault;
}

// prettier-ignore
const fault = faultsOf({
  map: ['must be a map of headers and their values', '「ヘッダー名: 値」の形で書いてください'],
  wrong: ['must give {name} {rule}', '{name}：{rule}'],
  taken: ['must not give {name}: Botbell sets it by itself', '{name} はBotbell自身がつけるため、書けません'],
});

/** Where a whole line is written as a name, what follows the name is a value, which may be secret. */
const BEHIND_NAME = /[^!#$%&'*+.^_`|~0-9A-Za-z-].*/s;

export function headersOption(rules: HeaderRules) {
  return mixed<Readonly<Record<string, string>>>()
    .test('headers', (headers: unknown, { createError }) => {
      const what = faultIn(headers, rules);
      return what === undefined || createError({ message: () => what });
    })
    .meta({ jsonSchema: { type: 'object', additionalProperties: { type: 'string' } } });
}

/** Of the first that is wrong. */
function faultIn(headers: unknown, { name: allowed, value, taken, rule }: HeaderRules): Fault | undefined {
  if (!isJsonObject(headers)) return headers === undefined ? undefined : fault('map');
  for (const [written, text = ''] of Object.entries(headers)) {
    const name = written.replace(BEHIND_NAME, '…');
    if (taken.test(written)) return fault('taken', { name });
    const isRight = allowed.test(written) && typeof text === 'string' && value.test(text);
    if (!isRight) return fault('wrong', { name, rule });
  }
  return undefined;
}
