/** Something that a test waits for, or makes happen. */
export type Moment = ReturnType<typeof moment>;

export function moment() {
  let happen = () => {};
  const promise = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { promise, happen: () => happen() };
}
