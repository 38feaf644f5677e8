/** Tables, which on a narrow screen are read as lists of terms; lists of terms; and ways to further pages. */
import type { ComponentChildren } from 'preact';
import { useReader } from '../reader.ts';
import { Link } from './text.tsx';

export interface Column<Row> {
  /** Its head, and on a narrow screen its term. */
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** `number`: to the right; `main`: what the row is about; `narrow`: on one line. */
  readonly kind?: 'number' | 'main' | 'narrow';
}

interface TableProps<Row> {
  /** What the table lists; for screen readers alone. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Instead of a table without rows. */
  readonly empty?: string;
}

/** The roles are said again, since CSS that lays a table out otherwise takes them away. */
export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return empty === undefined ? null : <p class="empty">{empty}</p>;
  return (
    <table role="table" aria-label={caption}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ head, kind }) => (
            <th key={head} scope="col" role="columnheader" class={kind}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map(({ head, kind, cell }) => {
              const shared = { class: kind, 'data-label': head, children: cell(row) };
              if (kind === 'main') return <th key={head} scope="row" role="rowheader" {...shared} />;
              return <td key={head} role="cell" {...shared} />;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface Term {
  readonly term: ComponentChildren;
  readonly details: ComponentChildren;
}

/** @param terms undefined: of what there is nothing to say */
export function Terms({ terms }: { readonly terms: readonly (Term | undefined)[] }) {
  return (
    <dl class="terms">
      {terms.map((each, index) =>
        each === undefined ? null : (
          <div key={index}>
            <dt>{each.term}</dt>
            <dd>{each.details}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

interface PagingProps {
  /** Paths of ours; undefined: there is no such page. */
  readonly newest: string | undefined;
  readonly older: string | undefined;
}

export function Paging({ newest, older }: PagingProps) {
  const { t } = useReader();
  if (newest === undefined && older === undefined) return null;
  return (
    <p class="paging">
      {newest === undefined ? null : <Link to={newest}>{`« ${t('newest')}`}</Link>}
      {older === undefined ? null : <Link to={older}>{`${t('older')} ›`}</Link>}
    </p>
  );
}
