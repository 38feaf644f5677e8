/** What a test needs, opened before it and closed behind it by mocha's hooks. */

interface Closable {
  close(): unknown;
}

/** For each test of the suite around it. @returns what stands for the one that was opened last */
export function anew<Opened extends Closable>(open: () => Opened | Promise<Opened>): Opened {
  let opened: Opened | undefined;
  beforeEach(async () => void (opened = await open()));
  afterEach(() => opened?.close());
  return standInFor(() => opened);
}

/** For all tests of the suite around it. */
export function forAll<Opened extends Closable>(open: () => Opened | Promise<Opened>): Opened {
  let opened: Opened | undefined;
  before(async () => void (opened = await open()));
  after(() => opened?.close());
  return standInFor(() => opened);
}

function standInFor<Opened extends Closable>(current: () => Opened | undefined): Opened {
  const own = () => {
    const opened = current();
    if (opened === undefined) throw new Error('nothing has been opened yet');
    return opened;
  };
  return new Proxy({} as Opened, {
    get(_, name) {
      const value: unknown = Reflect.get(own(), name);
      return typeof value === 'function' ? (value.bind(own()) as unknown) : value;
    },
    set: (_, name, value) => Reflect.set(own(), name, value),
  });
}
