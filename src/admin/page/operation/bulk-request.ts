/** What of a query or a form says which dead letters are meant, all together. */
import type { BulkKind, RedeliveryFilter } from '../../../ledger/actions/actions.ts';
import { filterQuery, readRedeliveryFilter } from '../../filters.ts';
import type { Reader } from '../reader.ts';

/** Of a form, beside the filter. */
const BESIDES = ['what', 'note', 'back'];

export function bulkFilterIn(query: URLSearchParams, reader: Reader) {
  return readRedeliveryFilter(query, { ...reader, besides: BESIDES });
}

export function bulkKindIn(query: URLSearchParams): BulkKind {
  return query.get('what') === 'dismissed' ? 'dismissed' : 'redelivered';
}

/** As parameters of a dry run, or hidden fields of its form. */
export function bulkFields(filter: RedeliveryFilter, what: BulkKind): Readonly<Record<string, string>> {
  return { ...Object.fromEntries(filterQuery(filter)), what };
}

export function dryRunOf(filter: RedeliveryFilter, what: BulkKind): string {
  return `/redeliveries/new?${new URLSearchParams(bulkFields(filter, what))}`;
}
