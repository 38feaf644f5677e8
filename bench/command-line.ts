/** Ends the process where its arguments cannot be understood, saying why. */
export function readOrExit<Read>(read: (args: string[]) => Read, usage: string): Read {
  try {
    return read(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

/** @throws {Error} it is none */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${text} is not a whole number from 1 on`);
  return value;
}
