/** Who asked for what was done by hand, for whoever reads the story later. */
export interface Actor {
  readonly via: 'page' | 'api' | 'command line';
  /** The Basic user, or whom a trusted proxy's header names; on the command line, the system's user. Undefined: not known. */
  readonly user: string | undefined;
  /** Address of the client; of the command line, the host's name. */
  readonly from: string;
}
