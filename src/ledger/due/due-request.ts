/** For which destinations something is due, and how much of it a process asks for. */

/** How much of a destination the caller can attempt now. */
export interface DueRequest {
  readonly destination: string;
  readonly limit: number;
  /** How many of them are for what was given back in bulk, should there be any; the others only where nothing else is due. */
  readonly bulkTurns?: number;
}

export interface DueDestination {
  readonly destination: string;
  /** Something is pending there that was given back in bulk. */
  readonly hasBulk: boolean;
}
