/** What of a query or a form says which dead letters are meant, all together. */
import type { BulkKind, RedeliveryFilter } from '../../../ledger/actions/actions.ts';
import { filterQuery, readRedeliveryFilter } from '../../filters.ts';
import type { Reader } from '../reader.ts';

/** Of a form, beside the filter. */
const BESIDES = ['what', 'confirmed', 'note', 'back'];

export function bulkFilterIn(query: URLSearchParams, reader: Reader) {
  return readRedeliveryFilter(query, { ...reader, besides: BESIDES });
}

/** Undefined: nothing that can be done to them. */
export function bulkKindIn(text: string | null): BulkKind | undefined {
  return (['redelivered', 'dismissed'] as const).find((kind) => kind === (text ?? 'redelivered'));
}

/** As parameters of a dry run, or hidden fields of its form. */
export function bulkFields(filter: RedeliveryFilter, what: BulkKind): Readonly<Record<string, string>> {
  return { ...Object.fromEntries(filterQuery(filter)), what };
}

export function dryRunOf(filter: RedeliveryFilter, what: BulkKind): string {
  return `/redeliveries/new?${new URLSearchParams(bulkFields(filter, what))}`;
}

/** Of what was posted, whatever is wrong with it: the dry run says so. */
export function dryRunPath(fields: URLSearchParams): string {
  const kept = [...fields].filter(([name]) => name === 'what' || !BESIDES.includes(name));
  return `/redeliveries/new?${new URLSearchParams(kept)}`;
}
