/** The setting `headers`: further headers, beside those that Botbell itself sets. */
import { mixed, ValidationError } from 'yup';
import { type Fault, faultsOf } from '../text/fault.ts';
import { isJsonObject } from '../text/json.ts';

interface HeaderRules {
  readonly name: RegExp;
  readonly value: RegExp;
  /** Headers that Botbell or the transport sets, which the setting may not name. */
  readonly taken: RegExp;
  /** What a name and its value have to be: `a value of …`. */
  readonly rule: Fault;
}

// prettier-ignore
const fault = faultsOf({
  map: ['must be a map of headers and their values', '「ヘッダー名: 値」の形で書いてください'],
  wrong: ['must give {name} {rule}', '{name}：{rule}'],
  twice: ['must not give {name} twice: capital letters make no difference', '{name} が2つあります（大文字と小文字は区別されません）'],
  taken: ['must not give {name}: Botbell sets it by itself', '{name} はBotbell自身がつけるため、書けません'],
});

/** If somebody writes a whole header line as a name, this matches what follows the name: a value, which may be secret. */
const BEHIND_NAME = /[^!#$%&'*+.^_`|~0-9A-Za-z-].*/s;

export function headersOption(rules: HeaderRules) {
  return mixed<Readonly<Record<string, string>>>()
    .test('headers', (headers: unknown, { createError }) => {
      const faults = faultsIn(headers, rules).map((what) => createError({ message: () => what }));
      return faults.length === 0 || new ValidationError(faults);
    })
    .meta({
      jsonSchema: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
    });
}

function faultsIn(headers: unknown, { name: allowed, value, taken, rule }: HeaderRules): readonly Fault[] {
  if (!isJsonObject(headers)) return headers === undefined ? [] : [fault('map')];
  const names = Object.keys(headers).map((each) => each.toLowerCase());
  return Object.entries(headers).flatMap(([written, text = ''], index) => {
    const name = written.replace(BEHIND_NAME, '…');
    if (names.indexOf(written.toLowerCase()) < index) return fault('twice', { name });
    if (taken.test(written)) return fault('taken', { name });
    const isRight = allowed.test(written) && typeof text === 'string' && value.test(text);
    return isRight ? [] : fault('wrong', { name, rule });
  });
}
