/** Something that a test waits for, or makes happen. */
export interface Moment {
  readonly promise: Promise<void>;
  happen(): void;
}

export function moment(): Moment {
  let happen = () => {};
  const promise = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { promise, happen: () => happen() };
}
