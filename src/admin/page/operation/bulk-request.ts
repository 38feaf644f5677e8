/** What of a query or a form says which dead letters are meant, all together. */
import type { BulkKind, RedeliveryFilter } from '../../../ledger/actions/actions.ts';
import { filterQuery, readFilter } from '../../filters.ts';
import type { Reader } from '../reader.ts';
import type { QueryProblem } from '../view.ts';

/** Of a form, or of a query. */
export type PostedFields = Readonly<Record<string, string | undefined>>;

/** Of a form, or of a dry run's address, beside the filter. */
const BESIDES = [
  'what',
  'error_class',
  'error_code',
  'confirmed',
  'note',
  'nonce',
  'back',
  'token',
  'lang',
  'before',
  'limit',
];

const DRY_RUN = '/redeliveries/new';

export type ReadRedeliveryFilter =
  | { readonly isGood: true; readonly filter: RedeliveryFilter }
  | { readonly isGood: false; readonly problems: readonly QueryProblem[] };

export function filterIn(
  fields: PostedFields,
  { timezone, now, language }: Pick<Reader, 'timezone' | 'now' | 'language'>,
): ReadRedeliveryFilter {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  const read = readFilter(new URLSearchParams(given), { timezone, now, language, besides: BESIDES });
  if (!read.isGood) return read;
  const { error_class: errorClass, error_code: errorCode } = fields;
  return {
    isGood: true,
    filter: {
      ...definedIn(read.filter),
      ...(errorClass !== undefined && { errorClass }),
      ...(errorCode !== undefined && { errorCode }),
    },
  };
}

function definedIn(filter: RedeliveryFilter): RedeliveryFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** Undefined: nothing that can be done to them. */
export function bulkKindIn(text = 'redelivered'): BulkKind | undefined {
  return (['redelivered', 'dismissed'] as const).find((kind) => kind === text);
}

/** As parameters of a dry run, or hidden fields of its form. */
export function bulkFields(filter: RedeliveryFilter, what: BulkKind): readonly (readonly [string, string])[] {
  const { errorClass, errorCode, ...rest } = filter;
  return [
    ...filterQuery(rest),
    ...(errorClass === undefined ? [] : [['error_class', errorClass] as const]),
    ...(errorCode === undefined ? [] : [['error_code', errorCode] as const]),
    ['what', what],
  ];
}

export function dryRunOf(filter: RedeliveryFilter, what: BulkKind): string {
  return `${DRY_RUN}?${new URLSearchParams(bulkFields(filter, what).map(([name, value]) => [name, value]))}`;
}

/** Of what was posted, whatever is wrong with it: the dry run says so. */
export function dryRunPath(fields: PostedFields): string {
  const kept = Object.entries(fields).filter(
    (field): field is [string, string] =>
      field[1] !== undefined && !['confirmed', 'note', 'nonce', 'back', 'token'].includes(field[0]),
  );
  return `${DRY_RUN}?${new URLSearchParams(kept)}`;
}
