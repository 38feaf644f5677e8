/** Which fields and rows of a list are shown where not all of it has room: whole ones only, and the rest counted. */

/** What a row may take, and all of them together, in whatever unit `sizeOf` counts. */
export interface RowLimits<Field> {
  /** With what stands between it and the next. */
  readonly sizeOf: (field: Field) => number;
  /** What a row takes beside its fields: a bullet, a line end. */
  readonly rowSize: number;
  /** What saying that fields of a row were left out takes; kept free in such a row. */
  readonly markSize: number;
  /** One row with all that it takes; a row of which no field fits is shown as what was left out of it all the same. */
  readonly rowRoom: number;
  /** All rows together. */
  readonly room: number;
}

export interface ShownRow<Field> {
  readonly fields: readonly Field[];
  readonly fieldsLeftOut: number;
}

export interface ShownRows<Field> {
  readonly rows: readonly ShownRow<Field>[];
  readonly rowsLeftOut: number;
}

/**
 * The first rows, as many as fit. Nothing is cut: of a row that is too long, the fields that fit are kept, and the others
 * counted.
 */
export function wholeRows<Field>(
  rows: readonly (readonly Field[])[],
  limits: RowLimits<Field>,
): ShownRows<Field> {
  const shown: ShownRow<Field>[] = [];
  let left = limits.room;
  for (const fields of rows) {
    const row = wholeFields(fields, limits);
    left -= row.size;
    if (left < 0) break;
    shown.push(row.shown);
  }
  return { rows: shown, rowsLeftOut: rows.length - shown.length };
}

interface SizedRow<Field> {
  readonly shown: ShownRow<Field>;
  readonly size: number;
}

function wholeFields<Field>(
  fields: readonly Field[],
  { sizeOf, rowSize, markSize, rowRoom }: RowLimits<Field>,
): SizedRow<Field> {
  const sizes = fields.map(sizeOf);
  const size = sizes.reduce((total, each) => total + each, rowSize);
  if (size <= rowRoom) return { shown: { fields, fieldsLeftOut: 0 }, size };
  let taken = rowSize + markSize;
  const kept = fields.filter((_, index) => {
    const within = taken + (sizes[index] ?? 0);
    if (within > rowRoom) return false;
    taken = within;
    return true;
  });
  return { shown: { fields: kept, fieldsLeftOut: fields.length - kept.length }, size: taken };
}
