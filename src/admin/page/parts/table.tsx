/** Tables (on narrow screens lists of terms), lists of terms, and links to further pages. */
import type { ComponentChildren } from 'preact';
import { useReader } from '../reader.ts';

export interface Column<Row> {
  /** The column's head; on a narrow screen each cell's term. */
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** `number`: right-aligned; `main`: the row's head; `narrow`: on one line. */
  readonly kind?: 'number' | 'main' | 'narrow';
}

interface TableProps<Row> {
  /** What the table lists; for screen readers only. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly toneOf?: (row: Row) => 'bad' | undefined;
  /** Shown instead of a table without rows. */
  readonly empty?: string;
}

/** Roles are explicit, since the CSS `display` of narrow screens removes a table's implicit ones. */
export function Table<Row>({ caption, columns, rows, empty, toneOf }: TableProps<Row>) {
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
        {rows.map((row, index) => (
          <tr key={index} role="row" class={toneOf?.(row)}>
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

interface TermProps {
  readonly of: ComponentChildren;
  readonly children: ComponentChildren;
}

/** An entry of a `<dl class="terms">`. */
export function Term({ of, children }: TermProps) {
  return (
    <div>
      <dt>{of}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** @param to path of the next page; undefined if there is none */
export function Older({ to }: { readonly to: string | undefined }) {
  const { t } = useReader();
  if (to === undefined) return null;
  return (
    <p>
      <a href={to}>{t('older')} ›</a>
    </p>
  );
}
