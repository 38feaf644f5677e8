/** Reads the arguments. On an error prints it with the usage, and exits 2. */
export function readOrExit<Read>(read: (args: string[]) => Read, usage: string): Read {
  try {
    return read(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

/** @throws {Error} not a whole number from 1 on */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${text} is not a whole number from 1 on`);
  return value;
}
