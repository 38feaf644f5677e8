/** Tables as this repository's formatter leaves them, so that a document can hold them as they are printed. */

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** `12,345` */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** `(0.43×)` */
export function times(ratio: number): string {
  return `(${ratio.toFixed(2)}×)`;
}
