/** Opens what a test needs before it, and closes it after it, by mocha's hooks. */

interface Closable {
  close(): unknown;
}

/** Opens one for each test of the suite around the call. @returns a stand-in for the one that was opened last */
export function anew<Opened extends Closable>(open: () => Opened | Promise<Opened>): Opened {
  let opened: Opened | undefined;
  beforeEach(async () => void (opened = await open()));
  afterEach(() => opened?.close());
  return standInFor(() => opened);
}

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
