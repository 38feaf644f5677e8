/** Sections, and tables, which are lists of terms on narrow screens. */
import type { ComponentChildren } from 'preact';
import { type Reader, useReader } from '../reader.ts';
import type { Word } from '../words.ts';

interface SectionProps {
  readonly title?: ComponentChildren;
  /** Shown opposite the title. */
  readonly aside?: ComponentChildren;
  readonly className?: string;
  readonly children: ComponentChildren;
}

export function Section({ title, aside, className = '', children }: SectionProps) {
  return (
    <section class={`panel ${className}`}>
      {title === undefined ? null : (
        <header>
          <h2>{title}</h2>
          {aside === undefined ? null : <div class="quiet">{aside}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

/**
 * `head`: the column's head, on a narrow screen the term before each cell; `cell`: numbers are formatted;
 * `kind`: `number`: right-aligned; `main`: the row's head; `narrow`: on one line.
 */
export type Columns<Row> = readonly (readonly [
  head: Word,
  cell: (row: Row, reader: Reader) => ComponentChildren,
  kind?: 'number' | 'main' | 'narrow',
])[];

interface TableProps<Row> {
  /** What the table lists; for screen readers only. */
  readonly caption: Word;
  readonly columns: Columns<Row>;
  readonly rows: readonly Row[];
  /** Shown instead of a table without rows. */
  readonly empty?: Word;
}

/** Roles are explicit, since the CSS `display` of narrow screens removes a table's implicit ones. */
export function Table<Row>({ caption, columns, rows, empty }: TableProps<Row>) {
  const reader = useReader();
  const { t, formats } = reader;
  if (rows.length === 0) return empty === undefined ? null : <p class="empty">{t(empty)}</p>;
  const cells = (row: Row) =>
    columns.map(([head, cell, kind]) => {
      const shown = cell(row, reader);
      const children = typeof shown === 'number' ? formats.number(shown) : shown;
      const shared = { class: kind, 'data-label': t(head), children };
      if (kind === 'main') return <th key={head} scope="row" role="rowheader" {...shared} />;
      return <td key={head} role="cell" {...shared} />;
    });
  return (
    <table role="table" aria-label={t(caption)}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(([head, , kind]) => (
            <th key={head} scope="col" role="columnheader" class={kind}>
              {t(head)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row, index) => (
          <tr key={index} role="row">
            {cells(row)}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
